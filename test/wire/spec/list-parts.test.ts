import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CANONICAL_ID, OTHER_CANONICAL_ID } from '../../support/gateway/gateway.ts';
import { rule } from './rule.ts';
import { type Answer, type Headers, World, children, element } from './world.ts';

let world: World;
let bucket: string;
let target: string;
/** With the parts 1, 2, 5, 10 and 10,000. */
let upload: string;
const NUMBERS = [1, 2, 5, 10, 10_000];

beforeAll(async () => {
  world = await World.open();
  bucket = await world.bucket();
  target = `/${bucket}/a%20key`;
  upload = await world.upload(target);
  for (const number of NUMBERS.toReversed()) {
    await world.must('PUT', `${upload}&partNumber=${number}`, { body: 'x'.repeat(number % 100) });
  }
});
afterAll(() => world.close());

const numbersOf = ({ body }: Answer): number[] =>
  [...body.matchAll(/<PartNumber>(\d+)</g)].map(([, number]) => Number(number));

/** Numbers, PartNumberMarker, NextPartNumberMarker, MaxParts, IsTruncated. */
async function page(query: string): Promise<readonly [number[], ...string[]]> {
  const answer = await world.ask('GET', upload + query);
  expect(answer.outcome, answer.body).toBe('200');
  const of = (name: string): string => element(answer.body, name);
  return [numbersOf(answer), of('PartNumberMarker'), of('NextPartNumberMarker'), of('MaxParts'), of('IsTruncated')];
}

test(
  rule(
    [
      'list-parts.document',
      'list-parts.ascending',
      'list-parts.bucket',
      'list-parts.class',
      'list-parts.abort-date',
      'common.xml',
    ],
    'the document',
  ),
  async () => {
    const { body, headers } = await world.must('GET', upload);
    expect(body).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<ListPartsResult xmlns="http:\/\/s3.amazonaws.com\/doc\/2006-03-01\/">/,
    );
    expect(children(body)).toEqual([
      'Bucket',
      'Key',
      'UploadId',
      'Initiator',
      'Owner',
      'StorageClass',
      'PartNumberMarker',
      'NextPartNumberMarker',
      'MaxParts',
      'IsTruncated',
      ...NUMBERS.map(() => 'Part'),
    ]);
    expect(['Bucket', 'Key', 'UploadId', 'StorageClass'].map((name) => element(body, name))).toEqual([
      bucket,
      'a key',
      upload.split('uploadId=')[1],
      'STANDARD',
    ]);
    const parts = [...body.matchAll(/<Part>(.*?)<\/Part>/g)].map(([, part = '']) =>
      part.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z/, 'time'),
    );
    expect(parts[2]).toBe(
      '<PartNumber>5</PartNumber><LastModified>time</LastModified><ETag>&quot;fb0e22c79ac75679e9881e6ba183b354&quot;</ETag><Size>5</Size>',
    );
    expect(numbersOf({ body } as Answer)).toEqual(NUMBERS);
    expect(Object.keys(headers).filter((name) => /abort|charged|customer/.test(name))).toEqual([]);
  },
);

test(rule(['list-parts.abort-date'], 'of an upload that a lifecycle rule aborts'), async () => {
  const bucket = await world.bucket();
  await world.lifecycle(
    bucket,
    '<AbortIncompleteMultipartUpload><DaysAfterInitiation>2</DaysAfterInitiation></AbortIncompleteMultipartUpload>',
  );
  const created = await world.must('POST', `/${bucket}/key?uploads`);
  const { headers } = await world.must('GET', `/${bucket}/key?uploadId=${element(created.body, 'UploadId')}`);
  expect(headers['x-amz-abort-rule-id']).toBe('a rule');
  expect(headers['x-amz-abort-date']).toMatch(/ 00:00:00 GMT$/);
  expect(created.headers).toMatchObject({
    'x-amz-abort-rule-id': 'a rule',
    'x-amz-abort-date': headers['x-amz-abort-date'],
  });
});

test(rule(['list-parts.document', 'list-parts.class'], 'of an upload with checksums and a storage class'), async () => {
  const one = await world.upload(target, { 'x-amz-checksum-algorithm': 'CRC32', 'x-amz-storage-class': 'GLACIER_IR' });
  await world.must('PUT', `${one}&partNumber=1`, { body: 'a', headers: { 'x-amz-checksum-crc32': '6Le+Qw==' } });
  const { body } = await world.must('GET', one);
  expect(children(body).slice(9)).toEqual(['IsTruncated', 'ChecksumAlgorithm', 'ChecksumType', 'Part']);
  expect(
    ['StorageClass', 'ChecksumAlgorithm', 'ChecksumType', 'ChecksumCRC32'].map((name) => element(body, name)),
  ).toEqual(['GLACIER_IR', 'CRC32', 'COMPOSITE', '6Le+Qw==']);
});

test(rule(['list-parts.empty', 'list-parts.next-marker'], 'an upload without parts'), async () => {
  const { body } = await world.must('GET', await world.upload(target));
  expect([
    children(body).includes('Part'),
    element(body, 'NextPartNumberMarker'),
    element(body, 'IsTruncated'),
  ]).toEqual([false, '0', 'false']);
});

describe('pages', () => {
  test.each<[string, string, number[], string, string, string, string]>([
    [rule('list-parts.max', 'by default'), '', NUMBERS, '0', '10000', '1000', 'false'],
    [
      rule('list-parts.max', 'empty parameters'),
      '&max-parts=&part-number-marker=',
      NUMBERS,
      '0',
      '10000',
      '1000',
      'false',
    ],
    [rule('list-parts.max', 'more than 1,000'), '&max-parts=2147483647', NUMBERS, '0', '10000', '1000', 'false'],
    [rule('list-parts.max', '1,001'), '&max-parts=1001', NUMBERS, '0', '10000', '1000', 'false'],
    [rule('list-parts.paging', 'the first two'), '&max-parts=2', [1, 2], '0', '2', '2', 'true'],
    [rule('list-parts.paging', 'the next two'), '&max-parts=2&part-number-marker=2', [5, 10], '2', '10', '2', 'true'],
    [
      rule('list-parts.paging', 'the last'),
      '&max-parts=2&part-number-marker=10',
      [10_000],
      '10',
      '10000',
      '2',
      'false',
    ],
    [rule('list-parts.paging', 'exactly all'), '&max-parts=5', NUMBERS, '0', '10000', '5', 'false'],
    [
      rule('list-parts.marker', 'between two parts'),
      '&part-number-marker=3',
      [5, 10, 10_000],
      '3',
      '10000',
      '1000',
      'false',
    ],
    [
      rule(['list-parts.marker', 'list-parts.next-marker'], 'the last part'),
      '&part-number-marker=10000',
      [],
      '10000',
      '0',
      '1000',
      'false',
    ],
    [
      rule('list-parts.marker', 'beyond all numbers'),
      '&part-number-marker=2147483647',
      [],
      '2147483647',
      '0',
      '1000',
      'false',
    ],
    [rule('list-parts.max.zero', 'nothing'), '&max-parts=0', [], '0', '0', '0', 'false'],
  ])('%s', async (_title, query, ...expected) => {
    expect(await page(query)).toEqual(expected);
  });

  describe(rule('list-parts.max.odd', 'numbers that are none'), () => {
    test.each(['max-parts', 'part-number-marker'])('%s', async (name) => {
      const integer = `Provided ${name} not an integer or within integer range`;
      const negative = `Argument ${name} must be an integer between 0 and 2147483647`;
      for (const [value, message] of [
        ['x', integer],
        ['1.5', integer],
        ['2147483648', integer],
        ['1e3', integer],
        ['-1', negative],
      ] as const) {
        const { outcome, body } = await world.ask('GET', `${upload}&${name}=${value}`);
        expect([outcome, element(body, 'ArgumentName'), element(body, 'Message')]).toEqual([
          '400 InvalidArgument',
          name,
          message,
        ]);
      }
    });
  });

  test(rule(['list-parts.max', 'list-parts.paging'], '1,001 parts take two pages'), async () => {
    const one = await world.upload(target);
    const numbers = Array.from({ length: 1001 }, (_, index) => index + 1);
    for (let at = 0; at < numbers.length; at += 50) {
      await Promise.all(
        numbers.slice(at, at + 50).map((number) => world.must('PUT', `${one}&partNumber=${number}`, { body: 'x' })),
      );
    }
    const first = await world.must('GET', `${one}&max-parts=5000`);
    expect([
      numbersOf(first).length,
      element(first.body, 'IsTruncated'),
      element(first.body, 'NextPartNumberMarker'),
    ]).toEqual([1000, 'true', '1000']);
    const second = await world.must('GET', `${one}&part-number-marker=1000`);
    expect([numbersOf(second), element(second.body, 'IsTruncated')]).toEqual([[1001], 'false']);
  });
});

test(rule('list-parts.upload', 'uploads that are not open'), async () => {
  const completed = await world.upload(target);
  const part = await world.must('PUT', `${completed}&partNumber=1`, { body: 'x' });
  await world.complete(completed, [part.headers['etag'] ?? '']);
  const aborted = await world.upload(target);
  await world.must('DELETE', aborted);
  for (const one of [
    completed,
    aborted,
    `${target}?uploadId=unknown`,
    `${target}?uploadId=`,
    upload.replace('a%20key', 'other'),
  ]) {
    expect(await world.outcome('GET', one), one).toBe('404 NoSuchUpload');
  }
});

describe('accounts', () => {
  const account = (id: string, name: string): string => `<ID>${id}</ID><DisplayName>${name}</DisplayName>`;

  test(rule('list-parts.owner', 'an account'), async () => {
    const open = await world.bucket({ 'x-amz-acl': 'public-read-write' });
    const theirs = await world.upload(`/${open}/theirs`, {}, 'other');
    const { body } = await world.must('GET', theirs, { as: 'other' });
    const other = account(OTHER_CANONICAL_ID, 'other');
    expect(body).toContain(`<Initiator>${other}</Initiator><Owner>${other}</Owner>`);
  });

  test(rule('list-parts.owner', 'a user of an account'), async () => {
    const users = await world.upload(`/${bucket}/of-a-user`, {}, 'user');
    const { body } = await world.must('GET', users);
    const user = account('arn:aws:iam::444444444444:user/robot', 'robot');
    expect(body).toContain(`<Initiator>${user}</Initiator><Owner>${account(CANONICAL_ID, 'wire')}</Owner>`);
  });
});

describe('encryption headers', () => {
  const name = 'x-amz-server-side-encryption-customer';
  test.each<[string, Headers, string]>([
    [rule('list-parts.customer-algorithm', 'the algorithm'), { [`${name}-algorithm`]: 'AES256' }, '200'],
    [rule('list-parts.customer-algorithm', 'another algorithm'), { [`${name}-algorithm`]: 'DES' }, '200'],
    [rule('list-parts.customer-algorithm', 'the key'), { [`${name}-key`]: 'a2V5' }, '200'],
    [rule('list-parts.customer-algorithm', 'its MD5'), { [`${name}-key-md5`]: 'a2V5' }, '200'],
  ])('%s', async (_title, headers, expected) => {
    const answer = await world.ask('GET', upload, { headers });
    expect([answer.outcome, answer.headers[`${name}-algorithm`]]).toEqual([expected, undefined]);
  });
});
