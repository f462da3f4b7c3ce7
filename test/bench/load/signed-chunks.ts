import { createHash, createHmac } from 'node:crypto';
import { filler } from './wire-request.ts';
import type { WireBody } from './wire-request.ts';

/** The signature of the next chunk, by the SHA-256 of its data. */
type ChunkSigner = (sha256: string) => string;

const EMPTY = createHash('sha256').digest('hex');
const UNKNOWN: ChunkSigner = () => '0'.repeat(64);

/** @param head of the request: its signature is the first link of the chain */
export function chunkSigner(
  head: string,
  { region, secretKey }: { readonly region: string; readonly secretKey: string },
): ChunkSigner {
  const date = /x-amz-date: (\S+)/i.exec(head)?.[1] ?? '';
  const scope = `${date.slice(0, 8)}/${region}/s3/aws4_request`;
  const key = scope.split('/').reduce<Buffer | string>((previous, part) => hmac(previous, part), `AWS4${secretKey}`);
  let previous = /Signature=([0-9a-f]{64})/.exec(head)?.[1] ?? '';
  return (sha256) => {
    const text = `AWS4-HMAC-SHA256-PAYLOAD\n${date}\n${scope}\n${previous}\n${EMPTY}\n${sha256}`;
    return (previous = hmac(key, text).toString('hex'));
  };
}

/** What stands before each chunk of the body, and behind the last. Without a signer it is as long, and wrong. */
export function chunkHeads(
  { fill, times }: WireBody,
  sign: ChunkSigner = UNKNOWN,
): Pick<WireBody, 'prefixes' | 'tail'> {
  const sha256 = createHash('sha256').update(filler(fill)).digest('hex');
  const prefixes = Array.from({ length: times }, () => `${fill.toString(16)};chunk-signature=${sign(sha256)}\r\n`);
  return { prefixes, tail: `0;chunk-signature=${sign(EMPTY)}\r\n\r\n` };
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
