import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Whether a signature of version 2 (Base64 of an HMAC-SHA1) belongs to this text. Takes the same time in either case.
 * @param text latin-1
 */
export function matchesV2(text: string, signature: string, secretAccessKey: string): boolean {
  const expected = createHmac('sha1', secretAccessKey).update(text, 'latin1').digest();
  const provided = Buffer.from(signature, 'base64');
  // The text must be right, too: several Base64 texts decode to the same bytes.
  return (
    provided.length === expected.length &&
    timingSafeEqual(provided, expected) &&
    provided.toString('base64') === signature
  );
}
