import { crc32 } from 'node:zlib';
import { S3Error } from '../../errors/s3-error.ts';

const FORMAT = 1;
const HEADER = 5;

/**
 * Token of ListObjectsV2. It says where the page ended, so that any replica can go on at any later time: one byte of
 * format, the CRC32 of the rest (which detects typing errors and tokens of other services), the key in UTF-8; all as
 * base64url.
 */
export function encodeContinuationToken(after: string): string {
  const key = Buffer.from(after);
  const header = Buffer.alloc(HEADER);
  header.writeUInt8(FORMAT);
  header.writeUInt32BE(crc32(key), 1);
  return Buffer.concat([header, key]).toString('base64url');
}

/** @throws S3Error InvalidArgument */
export function decodeContinuationToken(token: string): string {
  const bytes = Buffer.from(token, 'base64url');
  const key = bytes.subarray(HEADER);
  const isOurs =
    bytes.length > HEADER &&
    bytes[0] === FORMAT &&
    bytes.readUInt32BE(1) === crc32(key) &&
    bytes.toString('base64url') === token;
  if (isOurs) return key.toString();
  throw new S3Error('InvalidArgument', {
    message: 'The continuation token provided is incorrect',
    extra: { ArgumentName: 'continuation-token', ArgumentValue: token },
  });
}
