import { createHmac, hash, timingSafeEqual, type KeyObject } from 'node:crypto';

export const SIGV4_ALGORITHM = 'AWS4-HMAC-SHA256';
const DIGEST_BYTES = 32;
/** In lower case, as it is defined: one signature has one form. */
const SIGNATURE_HEX = /^[0-9a-f]{64}$/;
/** Compared with when the client's signature has no valid form, so that the work is the same. */
const NO_SIGNATURE = Buffer.alloc(DIGEST_BYTES);

/** The string to sign of a request; `canonicalRequest` is latin1 text. */
export function stringToSign(amzDate: string, scope: string, canonicalRequest: string): string {
  const digest = hash('sha256', Buffer.from(canonicalRequest, 'latin1'), 'hex');
  return `${SIGV4_ALGORITHM}\n${amzDate}\n${scope}\n${digest}`;
}

export function sign(signingKey: KeyObject, text: string): Buffer {
  return createHmac('sha256', signingKey).update(text, 'latin1').digest();
}

/** Constant-time for every input of the right form. */
export function signatureMatches(expected: Buffer, providedHex: string): boolean {
  const wellFormed = SIGNATURE_HEX.test(providedHex);
  return timingSafeEqual(expected, wellFormed ? Buffer.from(providedHex, 'hex') : NO_SIGNATURE) && wellFormed;
}
