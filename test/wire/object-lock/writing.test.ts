import { beforeEach, describe, expect, test } from 'vitest';
import { type Sent, outcome } from '../../support/clients/acl-client.ts';
import {
  type Headers,
  GOVERNED,
  HOLD,
  MODE,
  PAST,
  SOON,
  UNTIL,
  answerTo,
  as,
  bucket,
  bucketWithoutLock,
  legalHold,
  lockOf,
  openScene,
  owner,
  put,
  putDocument,
  read,
  remove,
  setDefault,
} from './scene.ts';

openScene();

const DAY = 24 * 60 * 60 * 1000;

/** @returns version id */
async function multipart(headers: Headers): Promise<string> {
  const target = `/${bucket}/k`;
  const created = await owner({ method: 'POST', target: `${target}?uploads`, headers }, 200);
  const uploadId = /<UploadId>([^<]+)</.exec(created.body)?.[1] ?? '';
  const {
    headers: { etag },
  } = await owner({ method: 'PUT', target: `${target}?partNumber=1&uploadId=${uploadId}`, body: 'part' }, 200);
  const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part></CompleteMultipartUpload>`;
  return (
    (await owner({ method: 'POST', target: `${target}?uploadId=${uploadId}`, body }, 200)).headers[
      'x-amz-version-id'
    ] ?? ''
  );
}

/** Three ways to make an object under `/bucket/k`; each answers with the version id. */
const WAYS: Readonly<Record<string, (headers: Headers) => Promise<string>>> = {
  PutObject: put,
  CopyObject: async (headers) => {
    await owner({ method: 'PUT', target: `/${bucket}/source`, body: 'text' }, 200);
    const answer = await owner(
      { method: 'PUT', target: `/${bucket}/k`, headers: { ...headers, 'x-amz-copy-source': `/${bucket}/source` } },
      200,
    );
    return answer.headers['x-amz-version-id'] ?? '';
  },
  CreateMultipartUpload: multipart,
};

describe.each(Object.entries(WAYS))('%s', (_way, make) => {
  test('makes an object that is locked', async () => {
    const versionId = await make({ [MODE]: 'COMPLIANCE', [UNTIL]: SOON, [HOLD]: 'ON' });
    expect(await lockOf(`/${bucket}/k`)).toEqual(['COMPLIANCE', SOON, 'ON']);
    expect(await lockOf(`/${bucket}/k?versionId=${versionId}`)).toEqual(['COMPLIANCE', SOON, 'ON']);
    expect([await read('retention'), await read('legal-hold')]).toEqual([`COMPLIANCE ${SOON}`, 'ON']);
    expect(await remove(versionId)).toBe('403 AccessDenied');
  });

  test('makes one with a hold that is off, and one without a word', async () => {
    const versionId = await make({ [HOLD]: 'OFF' });
    expect(await lockOf(`/${bucket}/k`)).toEqual([undefined, undefined, 'OFF']);
    expect(await remove(versionId)).toBe('204');
    await make({});
    expect(await lockOf(`/${bucket}/k`)).toEqual([undefined, undefined, undefined]);
  });

  test.each([
    ['<Days>3</Days>', 3 * DAY, 3 * DAY],
    ['<Years>1</Years>', 365 * DAY, 366 * DAY],
  ])('gives it the default of the bucket: %s', async (period, least, most) => {
    await setDefault(`<Mode>GOVERNANCE</Mode>${period}`);
    const before = Date.now();
    const versionId = await make({ [HOLD]: 'ON' });
    const [mode, until = '', hold] = await lockOf(`/${bucket}/k`);
    expect([mode, hold]).toEqual(['GOVERNANCE', 'ON']);
    expect(Date.parse(until)).toBeGreaterThanOrEqual(before + least);
    expect(Date.parse(until)).toBeLessThanOrEqual(Date.now() + most);
    expect(await putDocument('legal-hold', legalHold('OFF'))).toBe('200');
    expect(await remove(versionId)).toBe('403 AccessDenied');
  });

  test('what it asks for comes before the default of the bucket', async () => {
    await setDefault('<Mode>COMPLIANCE</Mode><Days>3</Days>');
    await make(GOVERNED);
    expect(await lockOf(`/${bucket}/k`)).toEqual(['GOVERNANCE', SOON, undefined]);
  });
});

/** Requests that would make an object under `/bucket/k`. */
const REQUESTS: Readonly<Record<string, (headers: Headers) => Sent>> = {
  PutObject: (headers) => ({ method: 'PUT', target: `/${bucket}/k`, headers, body: 'text' }),
  CopyObject: (headers) => ({
    method: 'PUT',
    target: `/${bucket}/k`,
    headers: { ...headers, 'x-amz-copy-source': `/${bucket}/source` },
  }),
  CreateMultipartUpload: (headers) => ({ method: 'POST', target: `/${bucket}/k?uploads`, headers }),
};

describe.each(Object.entries(REQUESTS))('%s refuses', (_name, request) => {
  beforeEach(() => put({}, 'source'));

  test.each<[string, Headers, string]>([
    ['a mode without a date', { [MODE]: 'GOVERNANCE' }, `${UNTIL} and ${MODE} must both be supplied`],
    ['a date without a mode', { [UNTIL]: SOON }, `${UNTIL} and ${MODE} must both be supplied`],
    ['an unknown mode', { [MODE]: 'FOREVER', [UNTIL]: SOON }, 'Unknown wormMode directive.'],
    ['a mode in other letters', { [MODE]: 'governance', [UNTIL]: SOON }, 'Unknown wormMode directive.'],
    ['a date that is over', { ...GOVERNED, [UNTIL]: PAST }, 'The retain until date must be in the future!'],
    [
      'a date of HTTP',
      { ...GOVERNED, [UNTIL]: 'Sun, 01 Jan 2090 00:00:00 GMT' },
      'The retain until date must be provided in ISO 8601 format',
    ],
    [
      'a date without a time',
      { ...GOVERNED, [UNTIL]: '2090-01-01' },
      'The retain until date must be provided in ISO 8601 format',
    ],
    [
      'no day of the calendar',
      { ...GOVERNED, [UNTIL]: '2090-13-01T00:00:00Z' },
      'The retain until date must be provided in ISO 8601 format',
    ],
    ['an unknown hold', { [HOLD]: 'on' }, "Legal Hold must be either of 'ON' or 'OFF'"],
  ])('%s', async (_what, headers, message) => {
    const answer = await answerTo(request(headers));
    expect(outcome(answer)).toBe('400 InvalidArgument');
    expect(answer.body).toContain(`<Message>${message}</Message>`);
    expect(await as('owner', { method: 'GET', target: `/${bucket}/k` })).toBe('404 NoSuchKey');
  });

  test.each<[string, Headers]>([
    ['retention', GOVERNED],
    ['a hold', { [HOLD]: 'ON' }],
    ['a hold that is off', { [HOLD]: 'OFF' }],
  ])('%s in a bucket without object lock', async (_what, headers) => {
    await bucketWithoutLock();
    await put({}, 'source');
    expect(await as('owner', request(headers))).toBe('400 InvalidRequest');
    expect(await as('owner', { method: 'GET', target: `/${bucket}/k` })).toBe('404 NoSuchKey');
  });

  test.each<[string, Headers]>([
    ['retention', GOVERNED],
    ['a hold', { [HOLD]: 'OFF' }],
  ])('%s of one who may only write', async (_what, headers) => {
    await owner({ method: 'PUT', target: `/${bucket}?acl`, headers: { 'x-amz-acl': 'public-read-write' } }, 200);
    await owner({ method: 'PUT', target: `/${bucket}/source?acl`, headers: { 'x-amz-acl': 'public-read' } }, 200);
    expect(await as('other', request({}))).toBe('200');
    expect(await as('other', request(headers))).toBe('403 AccessDenied');
  });
});

test('a copy has no lock of its source', async () => {
  await put({ ...GOVERNED, [HOLD]: 'ON' }, 'source');
  const headers = { 'x-amz-copy-source': `/${bucket}/source` };
  await owner({ method: 'PUT', target: `/${bucket}/k`, headers }, 200);
  expect(await lockOf(`/${bucket}/k`)).toEqual([undefined, undefined, undefined]);
});

test.each([
  ['2090-01-01T02:00:00+02:00', SOON],
  ['2090-01-01T00:00:00Z', SOON],
  ['2090-01-01T00:00:00.123456Z', '2090-01-01T00:00:00.123Z'],
])('the date %s', async (asked, kept) => {
  await put({ [MODE]: 'GOVERNANCE', [UNTIL]: asked });
  expect((await lockOf(`/${bucket}/k`))[1]).toBe(kept);
  expect(await read('retention')).toBe(`GOVERNANCE ${kept}`);
});
