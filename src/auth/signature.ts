import { hash, timingSafeEqual } from 'node:crypto';
import type { HmacKey } from '../streams/hmac-key.ts';

export const SIGV4_ALGORITHM = 'AWS4-HMAC-SHA256';
/** In lower case, as the rules define it, so that a signature has one form only. */
const SIGNATURE_HEX = /^[0-9a-f]{64}$/;
/** Compared with when the client's signature has no valid form, so that the work is the same. */
const NO_SIGNATURE = '0'.repeat(64);

/** The string to sign of a request; `canonicalRequest` is latin1 text. */
export function stringToSign(amzDate: string, scope: string, canonicalRequest: string): string {
  const digest = hash('sha256', Buffer.from(canonicalRequest, 'latin1'), 'hex');
  return `${SIGV4_ALGORITHM}\n${amzDate}\n${scope}\n${digest}`;
}

/** Hex. */
export function sign(signingKey: HmacKey, text: string): string {
  return signingKey.ofLatin1(text, 'hex');
}

/** Both are hex. Constant-time for every input of the right form. */
export function signatureMatches(expected: string, provided: string): boolean {
  const wellFormed = SIGNATURE_HEX.test(provided);
  const compared = wellFormed ? provided : NO_SIGNATURE;
  return timingSafeEqual(Buffer.from(expected, 'latin1'), Buffer.from(compared, 'latin1')) && wellFormed;
}
