import { expect } from 'vitest';
import { S3Error } from '../../../../src/errors/s3-error.ts';
import type { OpenBodyOptions } from '../../../../src/protocol/body/object-body.ts';
import { digest, framed, type StreamingKind, type TestBody } from './bodies.ts';

export const A = (size: number) => Buffer.alloc(size, 'a');
export const CONTENT = Buffer.concat([A(8192), A(9000), Buffer.from('tail')]);
const CHUNKS = [A(8192), A(9000), Buffer.from('tail')];
export const TRAILER = 'x-amz-checksum-sha256';
export const GOOD_TRAILER = [TRAILER, digest('sha256', CONTENT)] as const;

export interface Refused {
  readonly name: string;
  readonly body: TestBody;
  readonly code: string;
  readonly status?: number;
  readonly message?: string;
  readonly extra?: object;
  readonly options?: Partial<OpenBodyOptions>;
}

export function rewired(body: TestBody, change: (wire: Buffer) => Buffer): TestBody {
  return { ...body, wire: [change(Buffer.concat(body.wire))] };
}

export function replaced(body: TestBody, from: string | RegExp, to: string): TestBody {
  return rewired(body, (wire) => Buffer.from(wire.toString('latin1').replace(from, to), 'latin1'));
}

export const chunked = (kind: StreamingKind, trailer: readonly [string, string] = GOOD_TRAILER) =>
  framed({ kind, chunks: CHUNKS, ...(kind !== 'streaming-signed' && { trailer }) });
export const unsigned = chunked('streaming-unsigned-trailer');
export const signed = chunked('streaming-signed');
export const signedTrailer = chunked('streaming-signed-trailer');
export const cut = (bytes: number) => (wire: Buffer) => wire.subarray(0, wire.length - bytes);
/** Changes the last digit of the nth signature on the wire. */
export function forged(body: TestBody, nth: number): TestBody {
  let seen = 0;
  return rewired(body, (wire) =>
    Buffer.from(
      wire
        .toString('latin1')
        .replace(/signature[=:]([0-9a-f]{64})/g, (text) =>
          (seen += 1) === nth ? text.slice(0, -1) + (text.endsWith('0') ? '1' : '0') : text,
        ),
      'latin1',
    ),
  );
}

export const withHeaders = (body: TestBody, headers: Readonly<Record<string, string>>): TestBody => ({
  ...body,
  headers: { ...body.headers, ...headers },
});
export const withoutHeader = (body: TestBody, name: string): TestBody => ({
  ...body,
  headers: Object.fromEntries(Object.entries(body.headers).filter(([header]) => header !== name)),
});
export const MD5 = digest('md5', CONTENT);
export const OTHER_MD5 = digest('md5', A(3));

export function expectAnswer(error: unknown, { code, status = 400, message, extra }: Refused): void {
  expect(error).toBeInstanceOf(S3Error);
  expect(error).toMatchObject({
    code,
    status,
    ...(message !== undefined && { message }),
    ...(extra !== undefined && { extra }),
  });
}

export async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.unreachable('the body was accepted'),
    (error: unknown) => error,
  );
}
