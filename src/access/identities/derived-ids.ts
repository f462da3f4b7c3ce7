import { hash } from 'node:crypto';
import type { Account } from './account.ts';

/**
 * Makes ids of an account's name where the configuration gives none. Bucket records, ACLs and policies hold these
 * values, so they must be the same for ever: a name's values never change, and docs/identities.md says how they come
 * about.
 */
export function derivedIds(name: string): Omit<Account, 'name'> {
  return {
    canonicalId: digest('canonical-id', name),
    accountNumber: String(BigInt(`0x${digest('account-number', name).slice(0, 16)}`) % 1_000_000_000_000n).padStart(
      12,
      '0',
    ),
    displayName: name,
    email: `${
      name
        .toLowerCase()
        .replaceAll(/[^a-z0-9_-]+/g, '-')
        .replaceAll(/^-+|-+$/g, '') || 'account'
    }@accounts.invalid`,
  };
}

/** Unique id of a user (`AIDA...`) or role (`AROA...`), made of its ARN; 21 characters, as IAM's are. */
export function uniqueId(prefix: 'AIDA' | 'AROA', arn: string): string {
  return prefix + base32(Buffer.from(digest('unique-id', arn), 'hex')).slice(0, 17);
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Five bits a character, most significant first; what is left over of the last byte is dropped. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let value = 0;
  let bits = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(value >>> bits) & 31] ?? '';
    }
    value &= 31;
  }
  return text;
}

function digest(what: string, name: string): string {
  return hash('sha256', `s3gw:${what}:${name}`, 'hex');
}
