import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Whether a signature of version 2 is that of this text: Base64 of its HMAC-SHA1. In constant time.
 * @param text latin-1
 */
export function matchesV2(text: string, signature: string, secretAccessKey: string): boolean {
  const expected = createHmac('sha1', secretAccessKey).update(text, 'latin1').digest();
  const provided = Buffer.from(signature, 'base64');
  // Decoding forgives: other letters than the signer's could stand for the same bytes.
  return (
    provided.length === expected.length &&
    timingSafeEqual(provided, expected) &&
    provided.toString('base64') === signature
  );
}
