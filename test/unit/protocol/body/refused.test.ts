import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { S3Error } from '../../../../src/errors/s3-error.ts';
import type { OpenBodyOptions } from '../../../../src/protocol/body/object-body.ts';
import { digest, framed, HELD, plain, requestBody, STREAMED, type StreamingKind, type TestBody } from './bodies.ts';

const A = (size: number) => Buffer.alloc(size, 'a');
const CONTENT = Buffer.concat([A(8192), A(9000), Buffer.from('tail')]);
const CHUNKS = [A(8192), A(9000), Buffer.from('tail')];
const TRAILER = 'x-amz-checksum-sha256';
const GOOD_TRAILER = [TRAILER, digest('sha256', CONTENT)] as const;

interface Refused {
  readonly name: string;
  readonly body: TestBody;
  readonly code: string;
  readonly status?: number;
  readonly message?: string;
  readonly extra?: object;
  readonly options?: Partial<OpenBodyOptions>;
}

function rewired(body: TestBody, change: (wire: Buffer) => Buffer): TestBody {
  return { ...body, wire: [change(Buffer.concat(body.wire))] };
}

function replaced(body: TestBody, from: string | RegExp, to: string): TestBody {
  return rewired(body, (wire) => Buffer.from(wire.toString('latin1').replace(from, to), 'latin1'));
}

const chunked = (kind: StreamingKind, trailer: readonly [string, string] = GOOD_TRAILER) =>
  framed({ kind, chunks: CHUNKS, ...(kind !== 'streaming-signed' && { trailer }) });
const unsigned = chunked('streaming-unsigned-trailer');
const signed = chunked('streaming-signed');
const signedTrailer = chunked('streaming-signed-trailer');
const cut = (bytes: number) => (wire: Buffer) => wire.subarray(0, wire.length - bytes);
/** Changes the last digit of the nth signature on the wire. */
function forged(body: TestBody, nth: number): TestBody {
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

const withHeaders = (body: TestBody, headers: Readonly<Record<string, string>>): TestBody => ({
  ...body,
  headers: { ...body.headers, ...headers },
});
const withoutHeader = (body: TestBody, name: string): TestBody => ({
  ...body,
  headers: Object.fromEntries(Object.entries(body.headers).filter(([header]) => header !== name)),
});
const MD5 = digest('md5', CONTENT);
const OTHER_MD5 = digest('md5', A(3));

/** Found before the first byte is read. */
const BY_HEADERS: readonly Refused[] = [
  {
    name: 'no length',
    body: withoutHeader(plain(CONTENT), 'content-length'),
    code: 'MissingContentLength',
    status: 411,
  },
  {
    name: 'no decoded length',
    body: withoutHeader(unsigned, 'x-amz-decoded-content-length'),
    code: 'MissingContentLength',
    status: 411,
  },
  {
    name: 'decoded length no number',
    body: withHeaders(unsigned, { 'x-amz-decoded-content-length': '-5' }),
    code: 'MissingContentLength',
    status: 411,
  },
  {
    name: 'too large',
    body: plain(CONTENT),
    options: { maxSize: 17_000 },
    code: 'EntityTooLarge',
    extra: { ProposedSize: 17_196, MaxSizeAllowed: 17_000 },
  },
  ...['', 'bad', `${MD5} `, digest('sha1', CONTENT), MD5.slice(0, -2)].map((value) => ({
    name: `Content-MD5 "${value}"`,
    body: plain(CONTENT, { 'content-md5': value }),
    code: 'InvalidDigest',
    extra: { 'Content-MD5': value },
  })),
  ...['', 'bad!', 'AAAA', digest('sha256', CONTENT)].map((value) => ({
    name: `CRC32 "${value}"`,
    body: plain(CONTENT, { 'x-amz-checksum-crc32': value }),
    code: 'BadDigest',
    message: 'Value for x-amz-checksum-crc32 header is invalid.',
  })),
  {
    name: 'two checksums',
    body: plain(CONTENT, { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-checksum-crc32c': 'AAAAAA==' }),
    code: 'InvalidRequest',
    message: 'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
  },
  ...['', 'bad!'].map((value) => ({
    name: `two checksums, one of them "${value}"`,
    body: plain(CONTENT, { 'x-amz-checksum-crc32': value, 'x-amz-checksum-crc32c': 'AAAAAA==' }),
    code: 'InvalidRequest',
    message: 'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
  })),
  {
    name: 'header and trailer',
    body: withHeaders(unsigned, { 'x-amz-checksum-crc32': 'AAAAAA==' }),
    code: 'InvalidRequest',
  },
  {
    name: 'two trailers',
    body: withHeaders(unsigned, { 'x-amz-trailer': `${TRAILER},x-amz-checksum-crc32` }),
    code: 'InvalidRequest',
  },
  { name: 'unknown algorithm', body: plain(CONTENT, { 'x-amz-checksum-rot13': 'AAAA' }), code: 'InvalidRequest' },
  {
    name: 'algorithm announced, no value',
    body: plain(CONTENT, { 'x-amz-sdk-checksum-algorithm': 'CRC32' }),
    code: 'InvalidRequest',
  },
  {
    name: 'algorithm announced, another given',
    body: plain(CONTENT, { 'x-amz-sdk-checksum-algorithm': 'CRC32', 'x-amz-checksum-crc32c': 'AAAAAA==' }),
    code: 'InvalidRequest',
    message: 'Value for x-amz-sdk-checksum-algorithm header is invalid.',
  },
  {
    name: 'algorithm announced, another in the trailer',
    body: withHeaders(unsigned, { 'x-amz-sdk-checksum-algorithm': 'CRC32' }),
    code: 'InvalidRequest',
  },
  {
    name: 'trailer that is no checksum',
    body: withHeaders(unsigned, { 'x-amz-trailer': 'x-amz-meta-a' }),
    code: 'InvalidRequest',
  },
  {
    name: 'trailer announced, payload without',
    body: plain(CONTENT, { 'x-amz-trailer': TRAILER }),
    code: 'InvalidRequest',
  },
  {
    name: 'trailer announced, signed chunks without',
    body: withHeaders(signed, { 'x-amz-trailer': TRAILER }),
    code: 'InvalidRequest',
  },
];

/** Found while, or after, the bytes come. */
const BY_BYTES: readonly Refused[] = [
  { name: 'short', body: rewired(plain(CONTENT), cut(1)), code: 'IncompleteBody' },
  { name: 'long', body: rewired(plain(CONTENT), (wire) => Buffer.concat([wire, A(1)])), code: 'IncompleteBody' },
  { name: 'nothing', body: rewired(plain(CONTENT), () => Buffer.alloc(0)), code: 'IncompleteBody' },
  {
    name: 'payload hash',
    body: plain(CONTENT, {}, { kind: 'hash', sha256: digest('sha256', A(3), 'hex') }),
    code: 'XAmzContentSHA256Mismatch',
    extra: {
      ClientComputedContentSHA256: digest('sha256', A(3), 'hex'),
      S3ComputedContentSHA256: digest('sha256', CONTENT, 'hex'),
    },
  },
  {
    name: 'Content-MD5',
    body: plain(CONTENT, { 'content-md5': OTHER_MD5 }),
    code: 'BadDigest',
    message: 'The Content-MD5 you specified did not match what we received.',
    extra: { CalculatedDigest: MD5, ExpectedDigest: Buffer.from(OTHER_MD5, 'base64').toString('hex') },
  },
  ...[
    ['CRC32', 'AAAAAA=='],
    ['CRC32C', 'AAAAAA=='],
    ['CRC64NVME', 'AAAAAAAAAAA='],
    ['SHA1', digest('sha1', A(3))],
    ['SHA256', digest('sha256', A(3))],
  ].map(([name = '', value = '']) => ({
    name,
    body: plain(CONTENT, { [`x-amz-checksum-${name.toLowerCase()}`]: value }),
    code: 'BadDigest',
    message: `The ${name} you specified did not match the calculated checksum.`,
  })),
  ...[unsigned, signed, signedTrailer].flatMap((body) => [
    {
      name: `${body.payload.kind}: cut in the data`,
      body: rewired(body, (wire) => wire.subarray(0, 9000)),
      code: 'IncompleteBody',
    },
    {
      name: `${body.payload.kind}: cut before the last chunk`,
      body: rewired(body, (wire) => wire.subarray(0, wire.indexOf('\r\n0'))),
      code: 'IncompleteBody',
    },
    {
      name: `${body.payload.kind}: cut in the header of the last chunk`,
      body: rewired(body, (wire) => wire.subarray(0, wire.indexOf('\r\n0') + 3)),
      code: 'IncompleteBody',
    },
    {
      name: `${body.payload.kind}: less than the decoded length`,
      body: withHeaders(body, { 'x-amz-decoded-content-length': String(CONTENT.length + 1) }),
      code: 'IncompleteBody',
    },
    {
      name: `${body.payload.kind}: more than the decoded length`,
      body: withHeaders(body, { 'x-amz-decoded-content-length': String(CONTENT.length - 1) }),
      code: 'IncompleteBody',
    },
    {
      name: `${body.payload.kind}: chunk size no number`,
      body: replaced(body, '2000', 'size'),
      code: 'IncompleteBody',
    },
    {
      name: `${body.payload.kind}: negative chunk size`,
      body: replaced(body, '2000', '-2000'),
      code: 'IncompleteBody',
    },
    {
      name: `${body.payload.kind}: chunk size beyond all numbers`,
      body: replaced(body, '2000', 'ffffffffffffffff'),
      code: 'IncompleteBody',
    },
    {
      name: `${body.payload.kind}: endless chunk header`,
      body: rewired(body, (wire) => Buffer.concat([A(100_000), wire])),
      code: 'IncompleteBody',
    },
    {
      name: `${body.payload.kind}: chunk header ends in LF`,
      body: replaced(body, '\r\n', '\n'),
      code: 'IncompleteBody',
    },
    {
      name: `${body.payload.kind}: no line end after the data`,
      body: replaced(body, 'aa\r\n', 'aaaa'),
      code: 'IncompleteBody',
    },
    { name: `${body.payload.kind}: no framing at all`, body: rewired(body, () => CONTENT), code: 'IncompleteBody' },
    {
      name: `${body.payload.kind}: something after the end`,
      body: rewired(body, (wire) => Buffer.concat([wire, Buffer.from('more')])),
      code: 'MalformedTrailerError',
    },
    {
      name: `${body.payload.kind}: endless trailer`,
      body: rewired(body, (wire) => Buffer.concat([wire, A(100_000)])),
      code: 'MalformedTrailerError',
    },
  ]),
  ...[1, 2, 3, 4].map((nth) => ({
    name: `signature of chunk ${nth}`,
    body: forged(signed, nth),
    code: 'SignatureDoesNotMatch',
    status: 403,
  })),
  ...[1, 4, 5].map((nth) => ({
    name: `signature ${nth} of signed chunks and trailer`,
    body: forged(signedTrailer, nth),
    code: 'SignatureDoesNotMatch',
    status: 403,
  })),
  {
    name: 'data of a signed chunk',
    body: replaced(signed, 'tail', 'tall'),
    code: 'SignatureDoesNotMatch',
    status: 403,
  },
  {
    name: 'signature is no hex',
    body: replaced(signed, /signature=[0-9a-f]{64}/, 'signature=zz'),
    code: 'SignatureDoesNotMatch',
    status: 403,
  },
  {
    name: 'signed chunks without signatures',
    body: replaced(signed, /;chunk-signature=[0-9a-f]{64}/g, ''),
    code: 'IncompleteBody',
  },
  {
    name: 'value of a signed trailer',
    body: replaced(signedTrailer, GOOD_TRAILER[1], digest('sha256', A(3))),
    code: 'SignatureDoesNotMatch',
    status: 403,
  },
  {
    name: 'signed trailer without signature',
    body: replaced(signedTrailer, /x-amz-trailer-signature:.*\r\n/, ''),
    code: 'MalformedTrailerError',
  },
  ...[unsigned, signedTrailer].map((body) => ({
    name: `${body.payload.kind}: no trailer`,
    body: replaced(body, /x-amz-checksum[^]*$/, ''),
    code: 'MalformedTrailerError',
  })),
  {
    name: 'other trailer than announced',
    body: replaced(unsigned, TRAILER, 'x-amz-checksum-sha1'),
    code: 'MalformedTrailerError',
  },
  {
    name: 'trailer twice',
    body: rewired(unsigned, (wire) => Buffer.concat([wire, Buffer.from(`${GOOD_TRAILER.join(':')}\r\n`)])),
    code: 'MalformedTrailerError',
  },
  { name: 'trailer without colon', body: replaced(unsigned, `${TRAILER}:`, TRAILER), code: 'MalformedTrailerError' },
  {
    name: 'trailer that was not announced',
    body: withoutHeader(unsigned, 'x-amz-trailer'),
    code: 'MalformedTrailerError',
  },
  {
    name: 'trailer no base64',
    body: replaced(unsigned, /(sha256:).*\r\n/, '$1bad!\r\n'),
    code: 'BadDigest',
    message: 'Value for x-amz-checksum-sha256 header is invalid.',
  },
  ...(['streaming-unsigned-trailer', 'streaming-signed-trailer'] as const).map((kind) => ({
    name: `${kind}: wrong value`,
    body: chunked(kind, [TRAILER, digest('sha256', A(3))]),
    code: 'BadDigest',
    message: 'The SHA256 you specified did not match the calculated checksum.',
  })),
  ...(['streaming-unsigned-trailer', 'streaming-signed'] as const).map((kind) => ({
    name: `${kind}: small chunk before the last`,
    body: framed({
      kind,
      chunks: [A(8192), A(8191), A(8192)],
      ...(kind !== 'streaming-signed' && { trailer: [TRAILER, digest('sha256', A(24575))] as const }),
    }),
    code: 'InvalidChunkSizeError',
    extra: { Chunk: 2, BadChunkSize: 8191 },
  })),
];

function expectAnswer(error: unknown, { code, status = 400, message, extra }: Refused): void {
  expect(error).toBeInstanceOf(S3Error);
  expect(error).toMatchObject({
    code,
    status,
    ...(message !== undefined && { message }),
    ...(extra !== undefined && { extra }),
  });
}

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.unreachable('the body was accepted'),
    (error: unknown) => error,
  );
}

describe('refused by its headers', () => {
  it.each(BY_HEADERS)('$name: $code', async (entry) => {
    const onFirstRead = vi.fn();
    expectAnswer(
      await failure(requestBody(entry.body, { onFirstRead }).open({ ...STREAMED, ...entry.options })),
      entry,
    );
    expect(onFirstRead).not.toHaveBeenCalled();
  });
});

describe('refused by its bytes', () => {
  it.each(BY_BYTES)('held, $name: $code', async (entry) => {
    const beforeEnd = vi.fn();
    expectAnswer(await failure(requestBody(entry.body).open({ ...HELD, beforeEnd })), entry);
    expect(beforeEnd).not.toHaveBeenCalled();
  });

  it.each(BY_BYTES)('streamed, $name: $code', async (entry) => {
    const beforeEnd = vi.fn();
    const opened = await requestBody(entry.body).open({ ...STREAMED, beforeEnd });
    if (opened.kind !== 'streamed') {
      throw new Error('the body was held');
    }
    let delivered = 0;
    let ended = false;
    opened.stream.on('data', (bytes: Buffer) => (delivered += bytes.length)).on('end', () => (ended = true));
    const error: unknown = (await once(opened.stream, 'error'))[0];
    expectAnswer(error, entry);
    expectAnswer(await failure(opened.facts), entry);
    expect(ended).toBe(false);
    expect(delivered).toBeLessThan(opened.size);
    expect(beforeEnd).not.toHaveBeenCalled();
  });
});

describe('an XML body', () => {
  const XML = Buffer.from('<Delete/>');

  it.each<Refused>([
    { name: 'short', body: rewired(plain(XML), cut(1)), code: 'IncompleteBody' },
    {
      name: 'declared above the limit',
      body: plain(A(101)),
      code: 'MaxMessageLengthExceeded',
      extra: { MaxMessageLengthBytes: 100 },
    },
    {
      name: 'undeclared and above the limit',
      body: withoutHeader(plain(A(101)), 'content-length'),
      code: 'MaxMessageLengthExceeded',
      extra: { MaxMessageLengthBytes: 100 },
    },
    { name: 'Content-MD5 wrong', body: plain(XML, { 'content-md5': OTHER_MD5 }), code: 'BadDigest' },
    { name: 'Content-MD5 malformed', body: plain(XML, { 'content-md5': 'x' }), code: 'InvalidDigest' },
    { name: 'checksum wrong', body: plain(XML, { 'x-amz-checksum-crc32': 'AAAAAA==' }), code: 'BadDigest' },
    {
      name: 'payload hash wrong',
      body: plain(XML, {}, { kind: 'hash', sha256: digest('sha256', A(3), 'hex') }),
      code: 'XAmzContentSHA256Mismatch',
    },
  ])('$name: $code', async (entry) => {
    expectAnswer(await failure(requestBody(entry.body).readAll(100)), entry);
  });

  it.each([
    ['declared', plain(XML)],
    ['undeclared', withoutHeader(plain(XML), 'content-length')],
    [
      'with digests',
      plain(
        XML,
        { 'content-md5': digest('md5', XML), 'x-amz-checksum-sha1': digest('sha1', XML) },
        { kind: 'hash', sha256: digest('sha256', XML, 'hex') },
      ),
    ],
  ])('%s: read', async (_, body) => {
    expect((await requestBody(body).readAll(100)).toString()).toBe('<Delete/>');
  });

  it('is not checked against a checksum of the object', async () => {
    const body = plain(XML, { 'x-amz-checksum-crc32': 'AAAAAA==' });
    expect((await requestBody(body).readAll(100, { checksumsOf: 'object' })).toString()).toBe('<Delete/>');
  });
});
