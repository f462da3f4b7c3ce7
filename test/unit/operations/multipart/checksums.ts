import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

export const CRC = 'x-amz-checksum-crc32';

/** In Base64, as the header has it. */
export function crc32Of(text: string): string {
  const digest = Buffer.alloc(4);
  digest.writeUInt32BE(crc32(text));
  return digest.toString('base64');
}

/** In Base64, as the header has it. */
export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
