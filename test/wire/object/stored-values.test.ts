import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { outcome } from '../../support/clients/acl-client.ts';
import { BACKENDS, type Cloud, startCloud } from '../../support/backends/clouds.ts';
import { type TestGateway, startGatewayOver } from '../../support/gateway/gateway.ts';
import { type RawAnswer, RawConnection } from '../../support/clients/raw-http.ts';
import { testCall } from '../../support/test-call.ts';
import { presignedHead, signedHead } from '../../support/clients/sign-raw.ts';
import { type Lines, type Said, asRecord, byHeader, byQuery, expected } from './stored-values/said.ts';

const HOST = 'localhost';

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
  let cloud: Cloud;

  beforeAll(async () => {
    cloud = await startCloud(backend);
    gateway = await startGatewayOver(cloud.open());
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
  }, 180_000);
  afterAll(async () => {
    connection.close();
    await gateway.close();
    await cloud.stop();
  });

  describe('what was accepted is answered as it was said', () => {
    test('in header lines', async () => {
      await fc.assert(fc.asyncProperty(byHeader, check), { numRuns: backend === 'memory' ? 250 : 60 });
    }, 180_000);

    test('in the query of a presigned URL, or refused like a header that cannot be', async () => {
      await fc.assert(fc.asyncProperty(byQuery, check), { numRuns: backend === 'memory' ? 350 : 60 });
    }, 180_000);

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
        '2',
        { 'x-amz-meta-good': 'v', 'x-amz-meta-': 'empty', 'x-amz-meta-bad': '=?UTF-8?Q?v=0D=0AX:_y?=' },
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
          'x-amz-meta-a': '=?UTF-8?B?xb5sdcWl?=',
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
