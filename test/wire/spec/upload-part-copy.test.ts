import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RawConnection } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';
import { rule } from './rule.ts';
import { type Headers, World, children, element } from './world.ts';

const RANGE = 'x-amz-copy-source-range';
const SSE = 'x-amz-server-side-encryption';
/** Up to this size a source takes no range. */
const SMALL = 5_242_880;

let world: World;
let bucket: string;
let target: string;
let upload: string;

beforeAll(async () => {
  world = await World.open();
  bucket = await world.bucket();
  target = `/${bucket}/target`;
  upload = await world.upload(target);
  await world.put(`/${bucket}/source`, 'bytes');
  await world.put(`/${bucket}/empty`, '');
  await world.put(`/${bucket}/small`, 's'.repeat(SMALL));
  await world.put(`/${bucket}/large`, `${'l'.repeat(SMALL)}0123456789`);
});
afterAll(() => world.close());

const outcome = async (source: string, headers: Headers = {}, number: string | number = 1): Promise<string> =>
  (await world.copyPart(upload, `/${bucket}/${source}`, headers, number)).outcome;

/** What one part alone makes of an upload. */
async function objectOf(source: string, headers: Headers = {}): Promise<string> {
  const one = await world.upload(target);
  const part = await world.copyPart(one, `/${bucket}/${source}`, headers);
  expect((await world.complete(one, [element(part.body, 'ETag')])).outcome).toBe('200');
  return (await world.must('GET', target)).body;
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

describe('part number and upload', () => {
  test.each([
    [rule('part-copy.number', 'one'), '1', '200'],
    [rule('part-copy.number', 'ten thousand'), '10000', '200'],
    [rule('part-copy.number', 'zero'), '0', '400 InvalidArgument'],
    [rule('part-copy.number', 'too large'), '10001', '400 InvalidArgument'],
    [rule('part-copy.number', 'negative'), '-1', '400 InvalidArgument'],
    [rule('part-copy.number', 'a fraction'), '1.5', '400 InvalidArgument'],
    [rule('part-copy.number', 'a word'), 'one', '400 InvalidArgument'],
    [rule('part-copy.number', 'nothing'), '', '400 InvalidArgument'],
  ])('%s', async (_title, number, expected) => {
    expect(await outcome('source', {}, number)).toBe(expected);
  });

  test(rule('part-copy.upload', 'uploads that are not open'), async () => {
    const source = `/${bucket}/source`;
    expect((await world.copyPart(`${target}?uploadId=unknown`, source)).outcome).toBe('404 NoSuchUpload');
    expect((await world.copyPart(`${target}?uploadId=`, source)).outcome).toBe('404 NoSuchUpload');
    expect((await world.copyPart(upload.replace('/target', '/other'), source)).outcome).toBe('404 NoSuchUpload');
    const aborted = await world.upload(target);
    await world.must('DELETE', aborted);
    expect((await world.copyPart(aborted, source)).outcome).toBe('404 NoSuchUpload');
    const completed = await world.upload(target);
    const part = await world.copyPart(completed, source);
    await world.complete(completed, [element(part.body, 'ETag')]);
    const late = await world.copyPart(completed, source);
    expect([late.outcome, element(late.body, 'UploadId')]).toEqual([
      '404 NoSuchUpload',
      completed.split('uploadId=')[1],
    ]);
  });

  test(rule('part-copy.without-upload', 'only one of the two'), async () => {
    const headers = { 'x-amz-copy-source': `/${bucket}/source` };
    expect(await world.outcome('PUT', `${target}?partNumber=1`, { headers })).toBe('400 InvalidArgument');
    expect(await world.outcome('PUT', upload, { headers })).toBe('405 MethodNotAllowed');
  });

  test(rule('part-copy.version-id', 'a version of the destination'), async () => {
    for (const id of ['null', '']) {
      expect((await world.copyPart(`${upload}&versionId=${id}`, `/${bucket}/source`)).outcome).toBe(
        '400 InvalidArgument',
      );
    }
  });

  test(rule('part-copy.body', 'a body with a length'), async () => {
    const headers = { 'x-amz-copy-source': `/${bucket}/source` };
    expect(await world.outcome('PUT', `${upload}&partNumber=1`, { headers, body: 'x' })).toBe('400 InvalidRequest');
  });

  test.each([
    [rule('part-copy.body', 'a body in chunks'), '1\r\nx\r\n0\r\n\r\n', 400],
    [rule('part-copy.body', 'chunks without anything in them'), '0\r\n\r\n', 200],
  ])('%s', async (_title, body, status) => {
    const connection = await RawConnection.open(world.gateway.port);
    const headers = { 'x-amz-copy-source': `/${bucket}/source`, 'transfer-encoding': 'chunked' };
    connection.send(signedHead({ method: 'PUT', target: `${upload}&partNumber=1`, headers }) + body);
    expect((await connection.answer()).status).toBe(status);
    connection.close();
  });
});

describe('ranges', () => {
  test.each([
    [rule('part-copy.whole', 'none: all of it'), 'source', undefined, 'bytes'],
    [rule('part-copy.whole', 'none, of nothing'), 'empty', undefined, ''],
    [rule('part-copy.range', 'in the midst'), 'large', `bytes=${SMALL + 2}-${SMALL + 4}`, '234'],
    [rule('part-copy.range', 'one byte'), 'large', 'bytes=0-0', 'l'],
    [rule('part-copy.range', 'up to the last byte'), 'large', `bytes=${SMALL + 8}-${SMALL + 9}`, '89'],
  ])('%s', async (_title, source, range, expected) => {
    expect(await objectOf(source, range === undefined ? {} : { [RANGE]: range })).toBe(expected);
  });

  describe(rule('part-copy.range.form', 'in another form'), () => {
    test.each([
      '0-8',
      'bytes=1-',
      'bytes=-2',
      'bytes=1-0',
      'bytes=0-1,3-4',
      'bytes=a-b',
      'bytes 0-1',
      'bytes=0-1 ',
      ' bytes=0-1',
      'bytes=0 - 1',
      'Bytes=0-1',
      'bytes=',
      'bytes=+1-2',
      '',
    ])('%j', async (range) => {
      // White space around a header value is not part of it.
      const trimmed = range.trim();
      const answer = await world.copyPart(upload, `/${bucket}/large`, { [RANGE]: trimmed });
      if (trimmed === 'bytes=0-1') {
        expect(answer.outcome).toBe('200');
      } else {
        expect([answer.outcome, element(answer.body, 'ArgumentName'), element(answer.body, 'ArgumentValue')]).toEqual([
          '400 InvalidArgument',
          RANGE,
          trimmed,
        ]);
      }
    });
  });

  test.each([
    [
      rule('part-copy.range.outside', 'begins behind the end'),
      'large',
      `bytes=${SMALL + 10}-${SMALL + 11}`,
      '400 InvalidRequest',
    ],
    [rule('part-copy.range.beyond', 'ends behind the end'), 'large', `bytes=0-${SMALL + 10}`, '416 InvalidRange'],
    [rule('part-copy.range.small', 'of 5 MB'), 'small', 'bytes=0-1', '400 InvalidRequest'],
    [rule('part-copy.range.small', 'all of 5 MB'), 'small', `bytes=0-${SMALL - 1}`, '400 InvalidRequest'],
    [rule('part-copy.range.small', 'one byte more than 5 MB'), 'large', `bytes=0-${SMALL}`, '200'],
    [rule('part-copy.range.small', 'of a few bytes'), 'source', 'bytes=0-1', '400 InvalidRequest'],
    [rule('part-copy.range.small', 'in a wrong form'), 'source', 'bytes=1-0', '400 InvalidArgument'],
    [rule('part-copy.range.outside', 'of nothing'), 'empty', 'bytes=0-0', '400 InvalidRequest'],
  ])('%s', async (_title, source, range, expected) => {
    expect(await outcome(source, { [RANGE]: range })).toBe(expected);
  });
});

describe('the part', () => {
  test(
    rule(
      ['part-copy.answer', 'common.xml', 'common.encryption', 'copy.checksum.unsaid', 'copy.chunked'],
      'what is answered',
    ),
    async () => {
      const { headers, body } = await world.copyPart(upload, `/${bucket}/source`);
      expect(children(body)).toEqual(['LastModified', 'ETag']);
      expect(element(body, 'LastModified')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
      expect(headers).toMatchObject({
        'content-type': 'application/xml',
        [SSE]: 'AES256',
        'transfer-encoding': 'chunked',
      });
      expect(
        Object.keys(headers).filter((name) => /version|charged|checksum|customer|content-length|kms/.test(name)),
      ).toEqual([]);
    },
  );

  test(rule('part-copy.etag', 'of a whole object'), async () => {
    expect(element((await world.copyPart(upload, `/${bucket}/source`)).body, 'ETag')).toBe(
      `&quot;${md5('bytes')}&quot;`,
    );
    expect(element((await world.copyPart(upload, `/${bucket}/empty`)).body, 'ETag')).toBe(`&quot;${md5('')}&quot;`);
  });

  test(rule(['part-copy.overwrite', 'part-copy.etag'], 'again, with another source'), async () => {
    const one = await world.upload(target);
    const first = await world.copyPart(one, `/${bucket}/small`);
    const second = await world.copyPart(one, `/${bucket}/source`);
    expect((await world.complete(one, [element(first.body, 'ETag')])).outcome).toBe('400 InvalidPart');
    expect((await world.complete(one, [element(second.body, 'ETag')])).outcome).toBe('200');
    expect((await world.must('GET', target)).body).toBe('bytes');
  });

  test(rule('part-copy.ignored', 'what is for objects only'), async () => {
    const headers = {
      'x-amz-acl': 'no-such',
      'x-amz-meta-a': 'b',
      'x-amz-tagging': '%',
      'x-amz-storage-class': 'MOON',
      'x-amz-metadata-directive': 'MERGE',
      'content-type': 'text/x',
      'x-amz-website-redirect-location': 'nowhere',
      'x-amz-grant-read': 'x',
    };
    expect(await objectOf('source', headers)).toBe('bytes');
    const after = (await world.must('HEAD', target)).headers;
    expect([after['x-amz-meta-a'], after['content-type'], after['x-amz-storage-class']]).toEqual([
      undefined,
      'binary/octet-stream',
      undefined,
    ]);
  });

  test.each<[string, Headers, string]>([
    [rule('part-copy.encryption', 'the algorithm'), { [`${SSE}-customer-algorithm`]: 'AES256' }, '200'],
    [
      rule('part-copy.encryption', 'the algorithm of the source'),
      { 'x-amz-copy-source-server-side-encryption-customer-algorithm': 'AES256' },
      '200',
    ],
    [
      rule('part-copy.encryption', 'another algorithm'),
      { [`${SSE}-customer-algorithm`]: 'DES' },
      '400 InvalidEncryptionAlgorithmError',
    ],
    [rule('part-copy.encryption', 'a key'), { [`${SSE}-customer-key`]: 'a2V5' }, '400 InvalidRequest'],
    [rule('part-copy.encryption', 'its MD5'), { [`${SSE}-customer-key-md5`]: 'a2V5' }, '400 InvalidRequest'],
    [
      rule('part-copy.encryption', 'a key of the source'),
      { 'x-amz-copy-source-server-side-encryption-customer-key': 'a2V5' },
      '400 InvalidRequest',
    ],
    [
      rule('part-copy.encryption', 'the MD5 of a key of the source'),
      { 'x-amz-copy-source-server-side-encryption-customer-key-md5': 'x' },
      '400 InvalidRequest',
    ],
  ])('%s', async (_title, headers, expected) => {
    const answer = await world.copyPart(upload, `/${bucket}/source`, headers);
    expect([answer.outcome, answer.headers[`${SSE}-customer-algorithm`]]).toEqual([
      expected,
      expected === '200' ? headers[`${SSE}-customer-algorithm`] : undefined,
    ]);
  });
});

describe(rule('part-copy.order', 'of two faults the first is told'), () => {
  interface Faulty {
    readonly gone?: boolean;
    readonly source?: string;
    readonly headers?: Headers;
    readonly number?: number;
  }
  const outside = { [RANGE]: 'bytes=9-9' };
  test.each<[string, Faulty, string]>([
    ['part number before source', { number: 0, source: '/' }, 'partNumber'],
    ['form of the source before upload', { gone: true, source: '/' }, 'x-amz-copy-source'],
    ['upload before source', { gone: true, source: '/no-such-bucket/key' }, '404 NoSuchUpload'],
    ['source before range', { source: '/no-such-bucket/key', headers: outside }, '404 NoSuchBucket'],
    ['range before conditions', { headers: { ...outside, 'x-amz-copy-source-if-match': '"x"' } }, '400 InvalidRequest'],
  ])('%s', async (_title, { gone, source = `/${bucket}/source`, headers, number }, expected) => {
    const answer = await world.copyPart(gone === true ? `${target}?uploadId=gone` : upload, source, headers, number);
    expect([answer.outcome, element(answer.body, 'ArgumentName')]).toContain(expected);
  });
});
