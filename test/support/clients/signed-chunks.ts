import { createHash, createHmac } from 'node:crypto';
import { REGION, SECRET_KEY } from './sign-raw.ts';

const EMPTY = sha256('');

interface Trailer {
  readonly name: string;
  readonly value: string;
}

/**
 * The body of a signed head in aws-chunked framing: chunks with their signatures, and a signed trailer if there is one.
 * @param head as `signedHead` made it: its signature is the first link
 */
export function signedChunks(
  head: string,
  chunks: readonly string[],
  trailer?: Trailer,
  secretKey = SECRET_KEY,
): string {
  const date = /x-amz-date: (\S+)/.exec(head)?.[1] ?? '';
  const scope = `${date.slice(0, 8)}/${REGION}/s3/aws4_request`;
  const key = scope.split('/').reduce<Buffer | string>((previous, part) => hmac(previous, part), `AWS4${secretKey}`);
  let previous = /Signature=([0-9a-f]{64})/.exec(head)?.[1] ?? '';
  const link = (kind: string, hashes: string): string =>
    (previous = hmac(key, `AWS4-HMAC-SHA256-${kind}\n${date}\n${scope}\n${previous}\n${hashes}`).toString('hex'));
  const framed = [...chunks, '']
    .map(
      (data) =>
        `${data.length.toString(16)};chunk-signature=${link('PAYLOAD', `${EMPTY}\n${sha256(data)}`)}\r\n${data === '' ? '' : `${data}\r\n`}`,
    )
    .join('');
  if (trailer === undefined) return `${framed}\r\n`;
  const line = `${trailer.name}:${trailer.value}`;
  return `${framed}${line}\r\nx-amz-trailer-signature:${link('TRAILER', sha256(`${line}\n`))}\r\n\r\n`;
}

/** Bytes that `signedChunks` makes of such chunks. */
export function framedLength(chunks: readonly string[], trailer?: Trailer): number {
  return signedChunks('', chunks, trailer).length;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
