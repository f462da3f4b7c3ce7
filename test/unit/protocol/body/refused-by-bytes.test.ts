import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { digest, framed, HELD, plain, requestBody, STREAMED } from './bodies.ts';
import {
  type Refused,
  A,
  CONTENT,
  TRAILER,
  GOOD_TRAILER,
  rewired,
  replaced,
  chunked,
  unsigned,
  signed,
  signedTrailer,
  cut,
  forged,
  withHeaders,
  withoutHeader,
  MD5,
  OTHER_MD5,
  expectAnswer,
  failure,
} from './altered-bodies.ts';

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
    status: 403,
    extra: { Chunk: 2, BadChunkSize: 8191 },
  })),
];
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
