import { createHmac } from 'node:crypto';

/** Letters and digits of base32 (RFC 4648), of which access key ids are made on AWS, too. */
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export interface AccessKeyPair {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/**
 * The key of a user, made of the driver's seed. COSI's sidecar repeats a grant after every failure, but never
 * overwrites a secret that it has written: a repeat must give the same key, and the driver keeps no state.
 * @param seed 32 characters or more, known to the driver only; all keys follow from it
 */
export function deriveAccessKey(seed: string, account: string, user: string): AccessKeyPair {
  const derive = (what: string): Buffer =>
    createHmac('sha256', seed)
      .update(JSON.stringify([what, account, user]))
      .digest();
  return {
    accessKeyId: `COSI${[...derive('id').subarray(0, 16)].map((byte) => BASE32[byte % 32]).join('')}`,
    secretAccessKey: derive('secret').subarray(0, 30).toString('base64url'),
  };
}
