import '../support/property-seed.ts';
import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BlobStore } from '../../src/store/blob-store.ts';
import { outcome } from '../support/acl-client.ts';
import { CLOUDS, type Cloud, startCloud } from '../support/clouds.ts';
import { type TestGateway, startGatewayOver, startTestGateway } from '../support/gateway.ts';
import { type RawAnswer, RawConnection } from '../support/raw-http.ts';
import { testCall } from '../support/test-call.ts';
import { presignedHead, signedHead } from '../support/sign-raw.ts';

/** Header lines by lower-case name; values as bytes (latin-1 view). */
type Lines = Readonly<Record<string, string>>;

/** What one request says of an object, and how. */
interface Said {
  readonly operation: 'PutObject' | 'CopyObject' | 'CreateMultipartUpload';
  /** `query`: presigned, `x-amz-*` as parameters. */
  readonly by: 'header' | 'query';
  readonly lines: Lines;
  readonly tags: readonly (readonly [string, string])[];
}

const HOST = 'localhost';
const BACKENDS = ['memory', ...Object.keys(CLOUDS)];

let gateway: TestGateway<BlobStore>;
let connection: RawConnection;
let made = 0;

interface Sent {
  readonly method: string;
  readonly target: string;
  readonly lines?: Lines;
  readonly query?: Lines;
  readonly body?: string;
}

/** As AWS's rules for signatures want it: `encodeURIComponent` leaves five more as they are. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** `query` makes it presigned. */
async function send({ method, target, lines = {}, query, body = '' }: Sent): Promise<RawAnswer> {
  if (connection.ended) connection = await RawConnection.open(gateway.port);
  const headers = { ...lines, 'content-length': String(Buffer.byteLength(body)) };
  const pairs = Object.entries(query ?? {}).map(([name, value]) => `${escaped(name)}=${escaped(value)}`);
  const whole = pairs.length === 0 ? target : `${target}${target.includes('?') ? '&' : '?'}${pairs.join('&')}`;
  const options = { method, target: whole, host: HOST, headers, trims: true, encoding: 'latin1' } as const;
  connection.send(Buffer.from((query === undefined ? signedHead(options) : presignedHead(options)) + body, 'latin1'));
  const answer = await connection.answer(method);
  if (answer.headers['connection'] === 'close') await connection.closed();
  return answer;
}

/** Sends what is said; the object it makes, or the refusal. */
async function make(said: Said, target: string): Promise<RawAnswer> {
  const { operation, by, tags } = said;
  const tagging = tags.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  const lines: Record<string, string> = { ...said.lines, ...(tagging !== '' && { 'x-amz-tagging': tagging }) };
  if (operation === 'CopyObject') {
    Object.assign(lines, {
      'x-amz-copy-source': '/stored/source',
      'x-amz-metadata-directive': 'REPLACE',
      'x-amz-tagging-directive': 'REPLACE',
    });
  }
  const hoisted = Object.fromEntries(Object.entries(lines).filter(([name]) => name.startsWith('x-amz-')));
  const plain = Object.fromEntries(Object.entries(lines).filter(([name]) => !name.startsWith('x-amz-')));
  const how = by === 'header' ? { lines } : { lines: plain, query: hoisted };
  if (operation !== 'CreateMultipartUpload') {
    return send({ method: 'PUT', target, body: operation === 'PutObject' ? 'bytes' : '', ...how });
  }
  const created = await send({ method: 'POST', target: `${target}?uploads`, ...how });
  if (created.status !== 200) return created;
  const upload = /<UploadId>([^<]+)</.exec(created.body)?.[1] ?? '';
  const part = await send({ method: 'PUT', target: `${target}?partNumber=1&uploadId=${upload}`, body: 'bytes' });
  const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${part.headers['etag'] ?? ''}</ETag></Part></CompleteMultipartUpload>`;
  return send({ method: 'POST', target: `${target}?uploadId=${upload}`, body });
}

const blanksOff = (value: string): string => value.replaceAll(/^[ \t]+|[ \t]+$/g, '');

/** What an answer has to say: in RFC 2047 form what is UTF-8 and not ASCII, everything else as it came. */
function answered(name: string, value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  const encoded = name.startsWith('x-amz-meta-') && /[\x80-\xff]/.test(value) && isUtf8(bytes);
  return encoded ? `=?UTF-8?B?${bytes.toString('base64')}?=` : value;
}

const ODD_NAMES = [
  '__proto__',
  'constructor',
  'tostring',
  'hasownproperty',
  'valueof',
  '0',
  'a.b',
  '~',
  'a-b',
  's3gw',
  's3up',
  'class',
  'x',
];
const name = fc.oneof(fc.constantFrom(...ODD_NAMES), fc.stringMatching(/^[a-z0-9!#$%&'*+.^_`|~-]{1,12}$/));
const ascii = fc.stringMatching(/^[\t\x20-\x7e]{0,30}$/);
const utf8 = fc
  .string({ unit: 'grapheme', maxLength: 12 })
  .map((text) => Buffer.from(text.replaceAll(/\p{Cc}/gu, '')).toString('latin1'));
/** What header lines can carry, as bytes. */
const lineValue = fc
  .oneof(
    ascii,
    utf8,
    fc.stringMatching(/^[\x20-\x7e\x80-\xff]{0,20}$/),
    fc.constantFrom('', '=?UTF-8?B?w6k=?=', ',', '"', 'a,b'),
  )
  .map(blanksOff);
/** What queries can carry, as text. */
const anyText = fc.oneof(
  lineValue.map((value) => Buffer.from(value, 'latin1').toString()),
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.toWellFormed()),
  fc.constantFrom('v\r\nX: y', 'v\n', '\0', 'a\0b', ' v ', '\tv', '\x7f', '\x85', '\u2028', 'v\x0bw'),
);
const anyName = fc.oneof(
  name,
  fc.constantFrom('a b', 'a\0b', 'a:b', 'é', 'a\r\nb', ' ', '\u212a', 'a"b', 'a(b'),
  fc.string({ unit: 'binary', maxLength: 8 }).map((text) => text.toWellFormed()),
);

const CONTENT = ['content-type', 'cache-control', 'content-disposition', 'content-language', 'expires'] as const;
const contentLines = fc
  .subarray([...CONTENT])
  .chain((names) =>
    fc
      .tuple(...names.map(() => lineValue))
      .map((values) => Object.fromEntries(names.map((one, at) => [one, values[at] ?? '']))),
  );
const tagText = fc.stringMatching(/^[a-zA-Z0-9 _.:/=+@-]{1,10}$/);
const tags = fc.uniqueArray(
  fc.tuple(
    tagText.filter((key) => !/^aws:/i.test(key)),
    tagText,
  ),
  { maxLength: 3, selector: ([key]) => key },
);

/** Names like `__proto__` must become entries. */
const asRecord = (entries: readonly (readonly [string, string])[]): Lines => Object.fromEntries(entries);
const metaOf = (names: fc.Arbitrary<string>, values: fc.Arbitrary<string>): fc.Arbitrary<Lines> =>
  fc
    .array(
      fc.tuple(
        names.map((one) => `x-amz-meta-${one}`),
        values,
      ),
      { maxLength: 5 },
    )
    .map(asRecord);
const redirectOf = (values: fc.Arbitrary<string>): fc.Arbitrary<Lines> =>
  fc
    .option(values, { freq: 2 })
    .map((value): Lines => (value === null ? {} : { 'x-amz-website-redirect-location': `/${value}` }));
const operation = fc.constantFrom<Said['operation'][]>('PutObject', 'CopyObject', 'CreateMultipartUpload');

const byHeader: fc.Arbitrary<Said> = fc
  .tuple(operation, contentLines, metaOf(name, lineValue), redirectOf(lineValue), tags)
  .map(([of, content, meta, redirect, tagged]) => ({
    operation: of,
    by: 'header',
    lines: { ...content, ...meta, ...redirect },
    tags: tagged,
  }));
const byQuery: fc.Arbitrary<Said> = fc
  .tuple(operation, contentLines, metaOf(anyName, anyText), redirectOf(anyText), tags)
  .map(([of, content, meta, redirect, tagged]) => ({
    operation: of,
    by: 'query',
    lines: { ...content, ...meta, ...redirect },
    tags: tagged,
  }));

/** The lines as a GET must answer them; nothing for a request that must be refused. */
function expected({ by, lines }: Said): Lines | undefined {
  const wanted: [string, string][] = [];
  for (const [header, value] of Object.entries(lines)) {
    const hoisted = by === 'query' && header.startsWith('x-amz-');
    const bytes = hoisted ? Buffer.from(value).toString('latin1') : value;
    if (hoisted && (/[^\t\x20-\x7e\x80-\xff]/.test(bytes) || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(header))) {
      return undefined;
    }
    wanted.push([header.toLowerCase(), answered(header, blanksOff(bytes))]);
  }
  return asRecord(wanted);
}

async function check(said: Said): Promise<void> {
  const target = `/stored/k${++made}`;
  const answer = await make(said, target);
  const wanted = expected(said);
  const got = await send({ method: 'GET', target });
  if (wanted === undefined) {
    expect(outcome(answer)).toBe('400 InvalidArgument');
    expect(outcome(got), 'a refused request stores nothing').toBe('404 NoSuchKey');
    return;
  }
  expect(outcome(answer)).toBe('200');
  const head = await send({ method: 'HEAD', target });
  for (const read of [got, head]) {
    expect(read.status).toBe(200);
    const metadata = Object.entries(read.headers).filter(([header]) => header.startsWith('x-amz-meta-'));
    expect(asRecord(metadata)).toEqual(
      asRecord(Object.entries(wanted).filter(([header]) => header.startsWith('x-amz-meta-'))),
    );
    expect(Object.fromEntries(Object.keys(wanted).map((header) => [header, read.headers[header]]))).toEqual(wanted);
    expect(read.headers['x-amz-missing-meta']).toBeUndefined();
    expect(read.headers['x-amz-tagging-count']).toBe(said.tags.length === 0 ? undefined : String(said.tags.length));
  }
  expect(got.body).toBe('bytes');
}

describe.each(BACKENDS)('over %s', (backend) => {
  let cloud: Cloud | undefined;

  beforeAll(async () => {
    cloud = backend === 'memory' ? undefined : await startCloud(backend);
    gateway = cloud === undefined ? await startTestGateway() : await startGatewayOver(cloud.open());
    connection = await RawConnection.open(gateway.port);
    expect((await send({ method: 'PUT', target: '/stored' })).status).toBe(200);
    expect((await send({ method: 'PUT', target: '/stored/source', body: 'bytes' })).status).toBe(200);
    expect((await send({ method: 'PUT', target: '/kept' })).status).toBe(200);
    expect(
      (
        await send({
          method: 'PUT',
          target: '/kept?versioning',
          body: '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>',
        })
      ).status,
    ).toBe(200);
  }, 60_000);
  afterAll(async () => {
    connection.close();
    await gateway.close();
    await cloud?.stop();
  });

  describe('what was accepted is answered as it was said', () => {
    test('in header lines', async () => {
      await fc.assert(fc.asyncProperty(byHeader, check), { numRuns: cloud === undefined ? 250 : 60 });
    }, 60_000);

    test('in the query of a presigned URL, or refused like a header that cannot be', async () => {
      await fc.assert(fc.asyncProperty(byQuery, check), { numRuns: cloud === undefined ? 350 : 60 });
    }, 60_000);

    test.each([
      ['PUT', '/stored/one?x-amz-meta-a=v%0d%0aX:%20y'],
      ['PUT', '/stored/one?x-amz-meta-a=%00'],
      ['PUT', '/stored/one?x-amz-meta-a%20b=v'],
      ['PUT', '/stored/one?x-amz-meta-%00=v'],
      ['PUT', '/stored/one?x-amz-meta-%e2%84%aa=v'],
      ['PUT', '/stored/one?x-amz-website-redirect-location=/a%0d%0aSet-Cookie:%20a=b'],
      ['POST', '/stored/one?uploads&x-amz-meta-a=v%0aw'],
      ['PUT', '/stored/one?x-amz-copy-source=/stored/source%0d'],
      ['GET', '/stored/source?response-content-type=a%0D%0AX%3A%20y'],
      ['HEAD', '/stored/source?response-cache-control=%00'],
    ])('%s %s is refused and changes nothing', async (method, target) => {
      const answer = await send({ method, target, query: {} });
      expect(outcome(answer)).toBe(method === 'HEAD' ? '400' : '400 InvalidArgument');
      expect(outcome(await send({ method: 'GET', target: '/stored/one' }))).toBe('404 NoSuchKey');
      expect((await send({ method: 'GET', target: '/stored?uploads' })).body).not.toContain('<Key>one<');
    });

    test('metadata above 2 KB is too large, wherever it stands', async () => {
      for (const query of [undefined, {}]) {
        for (const [size, wanted] of [
          [2048, '200'],
          [2049, '400 MetadataTooLarge'],
        ] as const) {
          const lines = { 'x-amz-meta-a': 'v'.repeat(size - 1) };
          const answer = await send({
            method: 'PUT',
            target: '/stored/large',
            ...(query === undefined ? { lines } : { query: lines }),
          });
          expect(outcome(answer)).toBe(wanted);
        }
      }
    });
  });

  describe('headers that S3 defines have 2 KB together, wherever they go', () => {
    const REDIRECT = 'x-amz-website-redirect-location';
    const HEADERS = [
      'cache-control',
      'content-disposition',
      'content-encoding',
      'content-language',
      'content-type',
      'expires',
      REDIRECT,
    ];
    /** As long as may be, and one byte more. */
    const lengths = (name: string): readonly number[] => [2048 - name.length, 2049 - name.length];
    const value = (name: string, length: number, character: string): string =>
      (name === REDIRECT ? '/' : '') + character.repeat(name === REDIRECT ? length - 1 : length);

    test.each(HEADERS.flatMap((header) => ['v', '\u00e9', '"'].map((character) => [header, character] as const)))(
      '%s of %j',
      async (header, character) => {
        const [fits = 0, tooLong = 0] = lengths(header);
        for (const bucket of ['stored', 'kept']) {
          for (const operation of ['PutObject', 'CopyObject', 'CreateMultipartUpload'] as const) {
            const target = `/${bucket}/k${++made}`;
            const said = (length: number): Lines => ({
              [header]: value(header, length, character),
              'x-amz-meta-a': '\u00ff'.repeat(2047),
            });
            expect(outcome(await make({ operation, by: 'header', lines: said(tooLong), tags: [] }, target))).toBe(
              '400 MetadataTooLarge',
            );
            expect(outcome(await send({ method: 'GET', target }))).toBe('404 NoSuchKey');
            expect(
              outcome(await make({ operation, by: 'header', lines: said(fits), tags: [['a', 'b']] }, target)),
            ).toBe('200');
            const answer = await send({ method: 'GET', target });
            expect([answer.status, answer.body, answer.headers[header]]).toEqual([200, 'bytes', said(fits)[header]]);
            expect((await send({ method: 'GET', target: `/${bucket}?list-type=2` })).status).toBe(200);
          }
        }
      },
    );

    test('a copy that keeps what its source has is held to it for the redirect', async () => {
      const copy = (length: number): Promise<RawAnswer> =>
        send({
          method: 'PUT',
          target: '/stored/copy',
          lines: { 'x-amz-copy-source': '/stored/source', [REDIRECT]: `/${'v'.repeat(length - 1)}` },
        });
      const [fits = 0, tooLong = 0] = lengths(REDIRECT);
      expect(outcome(await copy(tooLong))).toBe('400 MetadataTooLarge');
      expect(outcome(await copy(fits))).toBe('200');
    });
  });

  describe('what cannot be answered but is there', () => {
    const record = (fields: object): Record<string, string> => ({
      s3gw: JSON.stringify({ v: 1, s: 1_700_000_000_000_000, ...fields }).replaceAll(
        /[^\x20-\x7e]/g,
        (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
    });

    test.each([
      [
        'metadata',
        { m: { good: 'v', bad: 'v\r\nX: y', 'a b': 'v', 'nul\0': 'v', '': 'empty' } },
        '3',
        { 'x-amz-meta-good': 'v', 'x-amz-meta-': 'empty' },
      ],
      ['the website redirect', { w: '/a\r\nSet-Cookie: a=b' }, '1', {}],
      [
        'content headers',
        { g: { contentType: 'text/plain', contentDisposition: 'a\nb', cacheControl: '\0' }, x: '\r\n' },
        '3',
        { 'content-type': 'text/plain' },
      ],
      [
        'text beyond latin-1 is written in UTF-8',
        { m: { a: 'žluť' }, g: { contentDisposition: 'ž' } },
        undefined,
        {
          'x-amz-meta-a': `=?UTF-8?B?${Buffer.from('žluť').toString('base64')}?=`,
          'content-disposition': Buffer.from('ž').toString('latin1'),
        },
      ],
    ])('%s', async (what, fields, missing, said) => {
      const target = `/stored/poisoned-${what.length}`;
      await send({ method: 'PUT', target, body: 'bytes' });
      await gateway.store.write(
        { container: 'stored', name: target.slice('/stored/'.length) },
        Buffer.from('bytes'),
        { metadata: record(fields) },
        testCall(),
      );
      for (const method of ['GET', 'HEAD']) {
        const answer = await send({ method, target });
        expect([answer.status, answer.headers['x-amz-missing-meta']]).toEqual([200, missing]);
        expect(answer.headers).toMatchObject(said);
        expect(answer.headers['set-cookie']).toBeUndefined();
        expect(answer.body).toBe(method === 'GET' ? 'bytes' : '');
        const known = await send({ method, target, lines: { 'if-none-match': answer.headers['etag'] ?? '' } });
        expect(known.status).toBe(304);
      }
      // It can be copied, tagged and deleted like any other.
      const copy = await send({ method: 'PUT', target: `${target}-copy`, lines: { 'x-amz-copy-source': target } });
      expect(outcome(copy)).toBe('200');
      expect((await send({ method: 'GET', target: `${target}-copy` })).status).toBe(200);
      expect((await send({ method: 'DELETE', target })).status).toBe(204);
    });
  });
});
