import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveSigningKey } from '../../../../src/auth/signing-key.ts';
import { storedContentEncoding } from '../../../../src/protocol/body/content-encoding.ts';
import { createChecksumHasher } from '../../../../src/protocol/checksums/hasher.ts';
import {
  digest,
  framed,
  HELD,
  plain,
  requestBody,
  SIGNING,
  store,
  STREAMED,
  type StreamingKind,
  type TestBody,
} from './bodies.ts';

const CONTENT = Buffer.from('Welcome to Amazon S3.');
const A = (size: number) => Buffer.alloc(size, 'a');

function crc32(bytes: Buffer): string {
  const hasher = createChecksumHasher('CRC32');
  hasher.update(bytes);
  return hasher.digest().toString('base64');
}

interface Accepted {
  readonly name: string;
  readonly body: TestBody & { readonly content: Buffer };
  readonly facts?: object;
}

const LARGE = Buffer.concat([A(8192), A(20000), Buffer.from('tail')]);
const ACCEPTED: readonly Accepted[] = [
  { name: 'unsigned', body: plain(CONTENT), facts: {} },
  { name: 'empty', body: plain(Buffer.alloc(0)), facts: {} },
  {
    name: 'payload hash',
    body: plain(CONTENT, {}, { kind: 'hash', sha256: digest('sha256', CONTENT, 'hex') }),
    facts: {},
  },
  {
    name: 'Content-MD5',
    body: plain(CONTENT, { 'content-md5': digest('md5', CONTENT) }),
    facts: { md5: digest('md5', CONTENT, 'hex') },
  },
  ...(['sha1', 'sha256'] as const).map((name) => ({
    name,
    body: plain(CONTENT, { [`x-amz-checksum-${name}`]: digest(name, CONTENT) }),
    facts: { checksum: { algorithm: name.toUpperCase(), value: digest(name, CONTENT) } },
  })),
  {
    name: 'header of an SDK',
    body: plain(CONTENT, { 'x-amz-checksum-crc32': crc32(CONTENT), 'x-amz-sdk-checksum-algorithm': 'CRC32' }),
    facts: { checksum: { algorithm: 'CRC32', value: crc32(CONTENT) } },
  },
  {
    name: "MD5 as the SDK for JavaScript says it, which is the object's checksum",
    body: plain(CONTENT, { 'content-md5': digest('md5', CONTENT), 'x-amz-sdk-checksum-algorithm': 'MD5' }),
    facts: { md5: digest('md5', CONTENT, 'hex'), checksum: { algorithm: 'MD5', value: digest('md5', CONTENT) } },
  },
  {
    name: 'header of an SDK, empty body',
    body: plain(Buffer.alloc(0), { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-sdk-checksum-algorithm': 'CRC32' }),
    facts: { checksum: { algorithm: 'CRC32', value: 'AAAAAA==' } },
  },
  {
    name: 'checksum words that are no values',
    body: plain(CONTENT, {
      'x-amz-checksum-mode': 'ENABLED',
      'x-amz-checksum-algorithm': 'CRC32',
      'x-amz-checksum-type': 'FULL_OBJECT',
    }),
    facts: {},
  },
  {
    name: 'signed chunks',
    body: framed({ kind: 'streaming-signed', chunks: [A(8192), A(20000), Buffer.from('tail')] }),
    facts: {},
  },
  { name: 'signed chunks, empty', body: framed({ kind: 'streaming-signed', chunks: [] }), facts: {} },
  ...(['streaming-signed-trailer', 'streaming-unsigned-trailer'] as const).flatMap((kind: StreamingKind) => [
    {
      name: `${kind} with CRC32`,
      body: framed({
        kind,
        chunks: [A(8192), A(20000), Buffer.from('tail')],
        trailer: ['x-amz-checksum-crc32', crc32(LARGE)],
      }),
      facts: { checksum: { algorithm: 'CRC32', value: crc32(LARGE) } },
    },
    { name: `${kind}, empty`, body: framed({ kind, chunks: [], trailer: ['x-amz-checksum-crc32', 'AAAAAA=='] }) },
  ]),
  {
    name: 'unsigned chunks that announce no trailer',
    body: framed({ kind: 'streaming-unsigned-trailer', chunks: [LARGE] }),
    facts: {},
  },
];

/** The same bytes, in pieces of a few bytes and in one. */
function cuts(body: TestBody): readonly Buffer[][] {
  const whole = Buffer.concat(body.wire);
  const small = Array.from({ length: Math.ceil(whole.length / 7) }, (_, i) => whole.subarray(i * 7, i * 7 + 7));
  return [[whole], small];
}

describe.each([
  ['held', HELD],
  ['streamed', STREAMED],
] as const)('%s', (kind, options) => {
  it.each(ACCEPTED)('$name', async ({ body, facts }) => {
    for (const wire of cuts(body)) {
      const stored = await store(requestBody({ ...body, wire }), options);
      expect(stored.bytes.equals(body.content)).toBe(true);
      expect(stored.kind).toBe(body.content.length === 0 ? 'held' : kind);
      if (facts !== undefined) {
        expect(stored.facts).toEqual(facts);
      }
    }
  });

  it('computes what is wanted beside what was declared', async () => {
    const wanted = { ...options, md5: 'here', wantChecksum: 'SHA256' } as const;
    expect((await store(requestBody(plain(CONTENT)), wanted)).facts).toEqual({
      md5: digest('md5', CONTENT, 'hex'),
      checksum: { algorithm: 'SHA256', value: digest('sha256', CONTENT) },
    });
    const declared = plain(CONTENT, { 'x-amz-checksum-crc32': crc32(CONTENT) });
    expect((await store(requestBody(declared), wanted)).facts.checksum?.algorithm).toBe('CRC32');
  });

  it('does not depend on how the bytes arrive', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom<StreamingKind>('streaming-signed', 'streaming-signed-trailer', 'streaming-unsigned-trailer'),
        fc.array(fc.integer({ min: 8192, max: 9000 }), { maxLength: 3 }),
        fc.nat(3000),
        fc.array(fc.integer({ min: 1, max: 6000 }), { minLength: 1, maxLength: 8 }),
        async (kind, sizes, last, steps) => {
          const chunks = [...sizes, last].filter((size) => size > 0).map((size, i) => Buffer.alloc(size, i + 1));
          const content = Buffer.concat(chunks);
          const trailer =
            kind === 'streaming-signed' ? {} : { trailer: ['x-amz-checksum-crc32', crc32(content)] as const };
          const body = framed({ kind, chunks, ...trailer });
          const stored = await store(requestBody({ ...body, wire: cutBy(Buffer.concat(body.wire), steps) }), options);
          expect(stored.bytes.equals(content)).toBe(true);
        },
      ),
      { numRuns: 60 },
    ));
});

function cutBy(bytes: Buffer, steps: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0, i = 0; at < bytes.length; i += 1) {
    const step = steps[i % steps.length] ?? 1;
    pieces.push(bytes.subarray(at, at + step));
    at += step;
  }
  return pieces;
}

describe('trailers as clients write them', () => {
  const value = crc32(CONTENT);
  it.each([
    ['CRLF and a blank line', `x-amz-checksum-crc32:${value}\r\n\r\n`],
    ['no blank line', `x-amz-checksum-crc32:${value}\r\n`],
    ['no line end at all', `x-amz-checksum-crc32:${value}`],
    ['LF', `x-amz-checksum-crc32:${value}\n\n`],
    ['LF, then CRLF', `x-amz-checksum-crc32:${value}\n\r\n\r\n`],
    ['blanks and capitals', `X-Amz-Checksum-CRC32: ${value} \r\n\r\n`],
  ])('%s', async (_, trailer) => {
    const wire = Buffer.concat([
      Buffer.from(`${CONTENT.length.toString(16)}\r\n`),
      CONTENT,
      Buffer.from(`\r\n0\r\n${trailer}`),
    ]);
    const headers = { 'x-amz-decoded-content-length': String(CONTENT.length), 'x-amz-trailer': 'x-amz-checksum-crc32' };
    const stored = await store(
      requestBody({ headers, payload: { kind: 'streaming-unsigned-trailer' }, wire: [wire] }),
      HELD,
    );
    expect(stored.facts.checksum).toEqual({ algorithm: 'CRC32', value });
  });
});

// "Transferring payload in multiple chunks" and "... including trailing headers", S3 API reference.
describe('AWS examples, whole', () => {
  const scope = { date: '20130524', region: 'us-east-1', service: 's3', terminator: 'aws4_request' };
  const signingKey = deriveSigningKey('wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', scope);
  const content = A(66560);
  const chunk = (size: number, signature: string) => [
    Buffer.from(`${size.toString(16)};chunk-signature=${signature}\r\n`),
    A(size),
    Buffer.from('\r\n'),
  ];

  it.each([
    {
      name: 'signed chunks',
      seedSignature: '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
      payload: { kind: 'streaming-signed' } as const,
      headers: {},
      signatures: [
        'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648',
        '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497',
        'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9',
      ],
      trailer: '',
    },
    {
      name: 'signed chunks and trailer',
      seedSignature: '106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e',
      payload: { kind: 'streaming-signed-trailer' } as const,
      headers: { 'x-amz-trailer': 'x-amz-checksum-crc32c' },
      signatures: [
        'b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2',
        '1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7',
        '2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992',
      ],
      trailer:
        'x-amz-checksum-crc32c:sOO8/Q==\n\r\nx-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n',
    },
  ])('$name', async ({ seedSignature, payload, headers, signatures, trailer }) => {
    const [first = '', second = '', final = ''] = signatures;
    const wire = [
      ...chunk(65536, first),
      ...chunk(1024, second),
      Buffer.from(`0;chunk-signature=${final}\r\n${trailer}\r\n`),
    ];
    const body = { headers: { 'x-amz-decoded-content-length': '66560', ...headers }, payload, wire };
    const signing = { ...SIGNING, signingKey, seedSignature };
    const stored = await store(requestBody(body, { signing }), STREAMED);
    expect(stored.bytes.equals(content)).toBe(true);
  });
});

describe('Content-Encoding to store', () => {
  it.each([
    ['', undefined],
    ['aws-chunked', undefined],
    ['AWS-Chunked', undefined],
    ['aws-chunked,', undefined],
    ['gzip', 'gzip'],
    ['gzip, aws-chunked', 'gzip'],
    ['aws-chunked,gzip,br', 'gzip, br'],
  ])('%s -> %s', (header, stored) => {
    expect(storedContentEncoding(header)).toBe(stored);
  });
});
