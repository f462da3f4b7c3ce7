import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Caller, type Sent, contentMd5, outcome, send } from '../support/acl-client.ts';
import { type TestGateway, startTestGateway } from '../support/gateway.ts';
import type { RawAnswer } from '../support/raw-http.ts';

type Headers = Readonly<Record<string, string>>;

const MODE = 'x-amz-object-lock-mode';
const UNTIL = 'x-amz-object-lock-retain-until-date';
const HOLD = 'x-amz-object-lock-legal-hold';
const BYPASS = 'x-amz-bypass-governance-retention';
const DAY = 24 * 60 * 60 * 1000;
const SOON = '2090-01-01T00:00:00.000Z';
const LATER = '2095-01-01T00:00:00.000Z';
const PAST = '2020-01-01T00:00:00.000Z';
const DRAIN_MS = 300;
const ABSENT_ID = '1'.padStart(32, '0');

let gateway: TestGateway;
let bucket: string;
let made = 0;

beforeAll(async () => {
  gateway = await startTestGateway({ drainMs: DRAIN_MS });
});
afterAll(() => gateway.close());

beforeEach(async () => {
  bucket = `lock-${++made}`;
  await owner({ method: 'PUT', target: `/${bucket}`, headers: { 'x-amz-bucket-object-lock-enabled': 'true' } }, 200);
});

async function owner(sent: Sent, status: number): Promise<RawAnswer> {
  const answer = await send(gateway.port, 'owner', sent);
  expect(answer.status, answer.body).toBe(status);
  return answer;
}

async function as(caller: Caller, sent: Sent): Promise<string> {
  return outcome(await send(gateway.port, caller, sent));
}

/** @returns version id */
async function put(headers: Headers = {}, key = 'k'): Promise<string> {
  return (await owner({ method: 'PUT', target: `/${bucket}/${key}`, headers, body: 'text' }, 200)).headers['x-amz-version-id'] ?? '';
}

const named = (versionId = ''): string => (versionId === '' ? '' : `&versionId=${versionId}`);

function putDocument(what: 'retention' | 'legal-hold', body: string, on: { versionId?: string; headers?: Headers; caller?: Caller } = {}): Promise<string> {
  const headers = { 'content-md5': contentMd5(body), ...on.headers };
  return as(on.caller ?? 'owner', { method: 'PUT', target: `/${bucket}/k?${what}${named(on.versionId)}`, headers, body });
}

const retention = (mode: string, until: string): string => `<Retention><Mode>${mode}</Mode><RetainUntilDate>${until}</RetainUntilDate></Retention>`;
const legalHold = (status: string): string => `<LegalHold><Status>${status}</Status></LegalHold>`;

/** Mode and date, status, or the error. */
async function read(what: 'retention' | 'legal-hold', versionId = '', caller: Caller = 'owner'): Promise<string> {
  const answer = await send(gateway.port, caller, { method: 'GET', target: `/${bucket}/k?${what}${named(versionId)}` });
  return answer.status === 200 ? [...answer.body.matchAll(/>([^<>\n]+)</g)].map(([, text]) => text).join(' ') : outcome(answer);
}

function remove(versionId: string, headers: Headers = {}, caller: Caller = 'owner'): Promise<string> {
  return as(caller, { method: 'DELETE', target: `/${bucket}/k?versionId=${versionId}`, headers });
}

async function lockOf(target: string, caller: Caller = 'owner'): Promise<(string | undefined)[]> {
  const get = await send(gateway.port, caller, { method: 'GET', target });
  const head = await send(gateway.port, caller, { method: 'HEAD', target });
  const shown = [get, head].map(({ headers }) => [headers[MODE], headers[UNTIL], headers[HOLD]]);
  expect(shown[0]).toEqual(shown[1]);
  return shown[0] ?? [];
}

async function setDefault(rule: string): Promise<void> {
  const content = `<ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention>${rule}</DefaultRetention></Rule>`;
  await owner({ method: 'PUT', target: `/${bucket}?object-lock`, body: `<ObjectLockConfiguration>${content}</ObjectLockConfiguration>` }, 200);
}

/** @returns version id */
async function multipart(headers: Headers): Promise<string> {
  const target = `/${bucket}/k`;
  const created = await owner({ method: 'POST', target: `${target}?uploads`, headers }, 200);
  const uploadId = /<UploadId>([^<]+)</.exec(created.body)?.[1] ?? '';
  const { headers: { etag } } = await owner({ method: 'PUT', target: `${target}?partNumber=1&uploadId=${uploadId}`, body: 'part' }, 200);
  const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part></CompleteMultipartUpload>`;
  return (await owner({ method: 'POST', target: `${target}?uploadId=${uploadId}`, body }, 200)).headers['x-amz-version-id'] ?? '';
}

/** Three ways to make an object under `/bucket/k`; each answers with the version id. */
const WAYS: Readonly<Record<string, (headers: Headers) => Promise<string>>> = {
  PutObject: put,
  CopyObject: async (headers) => {
    await owner({ method: 'PUT', target: `/${bucket}/source`, body: 'text' }, 200);
    const answer = await owner({ method: 'PUT', target: `/${bucket}/k`, headers: { ...headers, 'x-amz-copy-source': `/${bucket}/source` } }, 200);
    return answer.headers['x-amz-version-id'] ?? '';
  },
  CreateMultipartUpload: multipart,
};
const GOVERNED = { [MODE]: 'GOVERNANCE', [UNTIL]: SOON };

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

  test.each([['<Days>3</Days>', 3 * DAY, 3 * DAY], ['<Years>1</Years>', 365 * DAY, 366 * DAY]])('gives it the default of the bucket: %s', async (period, least, most) => {
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
  CopyObject: (headers) => ({ method: 'PUT', target: `/${bucket}/k`, headers: { ...headers, 'x-amz-copy-source': `/${bucket}/source` } }),
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
    ['a date of HTTP', { ...GOVERNED, [UNTIL]: 'Sun, 01 Jan 2090 00:00:00 GMT' }, 'The retain until date must be provided in ISO 8601 format'],
    ['a date without a time', { ...GOVERNED, [UNTIL]: '2090-01-01' }, 'The retain until date must be provided in ISO 8601 format'],
    ['no day of the calendar', { ...GOVERNED, [UNTIL]: '2090-13-01T00:00:00Z' }, 'The retain until date must be provided in ISO 8601 format'],
    ['an unknown hold', { [HOLD]: 'on' }, "Legal Hold must be either of 'ON' or 'OFF'"],
  ])('%s', async (_what, headers, message) => {
    const answer = await send(gateway.port, 'owner', request(headers));
    expect(outcome(answer)).toBe('400 InvalidArgument');
    expect(answer.body).toContain(`<Message>${message}</Message>`);
    expect(await as('owner', { method: 'GET', target: `/${bucket}/k` })).toBe('404 NoSuchKey');
  });

  test.each<[string, Headers]>([['retention', GOVERNED], ['a hold', { [HOLD]: 'ON' }], ['a hold that is off', { [HOLD]: 'OFF' }]])('%s in a bucket without object lock', async (_what, headers) => {
    bucket = `${bucket}-without`;
    await owner({ method: 'PUT', target: `/${bucket}` }, 200);
    await put({}, 'source');
    expect(await as('owner', request(headers))).toBe('400 InvalidRequest');
    expect(await as('owner', { method: 'GET', target: `/${bucket}/k` })).toBe('404 NoSuchKey');
  });

  test.each<[string, Headers]>([['retention', GOVERNED], ['a hold', { [HOLD]: 'OFF' }]])('%s of one who may only write', async (_what, headers) => {
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

test.each([['2090-01-01T02:00:00+02:00', SOON], ['2090-01-01T00:00:00Z', SOON], ['2090-01-01T00:00:00.123456Z', '2090-01-01T00:00:00.123Z']])('the date %s', async (asked, kept) => {
  await put({ [MODE]: 'GOVERNANCE', [UNTIL]: asked });
  expect((await lockOf(`/${bucket}/k`))[1]).toBe(kept);
  expect(await read('retention')).toBe(`GOVERNANCE ${kept}`);
});

describe('retention', () => {
  test('is none until it is set, of the version that is named', async () => {
    const [first, second] = [await put(), await put()];
    expect(await read('retention')).toBe('404 NoSuchObjectLockConfiguration');
    expect(await putDocument('retention', retention('GOVERNANCE', SOON), { versionId: first })).toBe('200');
    expect([await read('retention', first), await read('retention', second)]).toEqual([`GOVERNANCE ${SOON}`, '404 NoSuchObjectLockConfiguration']);
    expect([await remove(first), await remove(second)]).toEqual(['403 AccessDenied', '204']);
    expect(await read('retention'), 'it is the current one again').toBe(`GOVERNANCE ${SOON}`);
  });

  const NONE = '<Retention/>';
  test.each<[from: [string, string] | undefined, to: string, plain: string, bypassing: string]>([
    [undefined, NONE, '200', '200'],
    [undefined, retention('COMPLIANCE', SOON), '200', '200'],
    [['GOVERNANCE', SOON], retention('GOVERNANCE', SOON), '200', '200'],
    [['GOVERNANCE', SOON], retention('GOVERNANCE', LATER), '200', '200'],
    [['GOVERNANCE', LATER], retention('GOVERNANCE', SOON), '403 AccessDenied', '200'],
    [['GOVERNANCE', SOON], retention('COMPLIANCE', LATER), '403 AccessDenied', '200'],
    [['GOVERNANCE', SOON], NONE, '403 AccessDenied', '200'],
    [['COMPLIANCE', SOON], retention('COMPLIANCE', LATER), '200', '200'],
    [['COMPLIANCE', LATER], retention('COMPLIANCE', SOON), '403 AccessDenied', '403 AccessDenied'],
    [['COMPLIANCE', SOON], retention('GOVERNANCE', LATER), '403 AccessDenied', '403 AccessDenied'],
    [['COMPLIANCE', SOON], NONE, '403 AccessDenied', '403 AccessDenied'],
  ])('from %j to %s: %s, with bypass %s', async (from, to, plain, bypassing) => {
    for (const [headers, expected] of [[{}, plain], [{ [BYPASS]: 'false' }, plain], [{ [BYPASS]: 'true' }, bypassing]] as const) {
      await put({ ...(from !== undefined && { [MODE]: from[0], [UNTIL]: from[1] }), [HOLD]: 'ON' });
      expect(await putDocument('retention', to, { headers }), JSON.stringify(headers)).toBe(expected);
      const now = [...to.matchAll(/>([^<>]+)</g)].map(([, text]) => text).join(' ');
      const before = from === undefined ? '' : from.join(' ');
      expect(await read('retention')).toBe((expected === '200' ? now : before) || '404 NoSuchObjectLockConfiguration');
      expect(await read('legal-hold'), 'the hold stays').toBe('ON');
    }
  });

  test('that is over holds nothing', async () => {
    const until = new Date(Date.now() + 400).toISOString();
    const versionId = await put({ [MODE]: 'COMPLIANCE', [UNTIL]: until });
    expect(await remove(versionId)).toBe('403 AccessDenied');
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(until));
    expect(await read('retention')).toBe(`COMPLIANCE ${until}`);
    expect(await putDocument('retention', '<Retention/>')).toBe('200');
    expect(await remove(versionId)).toBe('204');
  });

  test.each([
    ['only a mode', '<Retention><Mode>GOVERNANCE</Mode></Retention>', '400 MalformedXML'],
    ['only a date', `<Retention><RetainUntilDate>${SOON}</RetainUntilDate></Retention>`, '400 MalformedXML'],
    ['an unknown mode', retention('abc', SOON), '400 MalformedXML'],
    ['a mode in other letters', retention('governance', SOON), '400 MalformedXML'],
    ['no date', retention('GOVERNANCE', 'tomorrow'), '400 MalformedXML'],
    ['a date that is over', retention('GOVERNANCE', PAST), '400 InvalidArgument'],
    ['another document', legalHold('ON'), '400 MalformedXML'],
    ['nothing', '', '400 MalformedXML'],
  ])('%s is refused', async (_what, body, expected) => {
    await put(GOVERNED);
    expect(await putDocument('retention', body)).toBe(expected);
    expect(await read('retention')).toBe(`GOVERNANCE ${SOON}`);
  });
});

describe('legal hold', () => {
  test('is none, on, off, of the version that is named', async () => {
    const [first, second] = [await put(), await put()];
    expect(await read('legal-hold')).toBe('404 NoSuchObjectLockConfiguration');
    expect(await putDocument('legal-hold', legalHold('ON'), { versionId: first })).toBe('200');
    expect([await read('legal-hold', first), await read('legal-hold', second)]).toEqual(['ON', '404 NoSuchObjectLockConfiguration']);
    expect(await remove(first, { [BYPASS]: 'true' }), 'nothing gets round it').toBe('403 AccessDenied');
    expect(await putDocument('legal-hold', legalHold('OFF'), { versionId: first })).toBe('200');
    expect(await lockOf(`/${bucket}/k?versionId=${first}`)).toEqual([undefined, undefined, 'OFF']);
    expect(await remove(first)).toBe('204');
  });

  test('stands beside retention', async () => {
    const versionId = await put(GOVERNED);
    expect(await putDocument('legal-hold', legalHold('ON'))).toBe('200');
    expect(await lockOf(`/${bucket}/k`)).toEqual(['GOVERNANCE', SOON, 'ON']);
    expect(await remove(versionId, { [BYPASS]: 'true' })).toBe('403 AccessDenied');
    expect(await putDocument('legal-hold', legalHold('OFF'))).toBe('200');
    expect(await lockOf(`/${bucket}/k`)).toEqual(['GOVERNANCE', SOON, 'OFF']);
    expect([await remove(versionId), await remove(versionId, { [BYPASS]: 'true' })]).toEqual(['403 AccessDenied', '204']);
  });

  test.each([['abc'], ['on'], ['']])('"%s" is refused', async (status) => {
    await put({ [HOLD]: 'ON' });
    expect(await putDocument('legal-hold', legalHold(status))).toBe('400 MalformedXML');
    expect(await putDocument('legal-hold', '<LegalHold/>')).toBe('400 MalformedXML');
    expect(await read('legal-hold')).toBe('ON');
  });
});

describe.each(['retention', 'legal-hold'] as const)('%s', (what) => {
  const body = what === 'retention' ? retention('GOVERNANCE', SOON) : legalHold('ON');

  test('of what is not there, or a delete marker', async () => {
    const missing = { '': '404 NoSuchKey', [ABSENT_ID]: '404 NoSuchVersion', null: '404 NoSuchVersion', x: '400 InvalidArgument' };
    for (const [versionId, expected] of Object.entries(missing)) {
      expect([await read(what, versionId), await putDocument(what, body, { versionId })], versionId).toEqual([expected, expected]);
    }
    await put();
    const marker = (await owner({ method: 'DELETE', target: `/${bucket}/k` }, 204)).headers['x-amz-version-id'] ?? '';
    for (const versionId of ['', marker]) {
      expect([await read(what, versionId), await putDocument(what, body, { versionId })]).toEqual(['405 MethodNotAllowed', '405 MethodNotAllowed']);
    }
  });

  test('of a bucket without object lock', async () => {
    bucket = `${bucket}-without`;
    await owner({ method: 'PUT', target: `/${bucket}` }, 200);
    for (const status of ['Enabled', 'Suspended']) {
      await put();
      expect([await read(what), await putDocument(what, body)]).toEqual(['400 InvalidRequest', '400 InvalidRequest']);
      const versioning = `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`;
      await owner({ method: 'PUT', target: `/${bucket}?versioning`, body: versioning }, 200);
    }
  });

  test('needs a body that is protected, and the right one', async () => {
    await put();
    expect(await as('owner', { method: 'PUT', target: `/${bucket}/k?${what}`, body })).toBe('400 InvalidRequest');
    expect(await putDocument(what, body, { headers: { 'content-md5': contentMd5('other') } })).toBe('400 BadDigest');
    expect(await read(what)).toBe('404 NoSuchObjectLockConfiguration');
  });

  test('is changed by the owner of the bucket, and told to that of the object', async () => {
    await owner({ method: 'PUT', target: `/${bucket}?acl`, headers: { 'x-amz-acl': 'public-read-write' } }, 200);
    expect(await as('other', { method: 'PUT', target: `/${bucket}/k`, headers: { 'x-amz-acl': 'public-read' }, body: 'theirs' })).toBe('200');
    expect(await putDocument(what, body)).toBe('200');
    for (const caller of ['other', 'anonymous'] as const) {
      expect(await putDocument(what, body, { caller })).toBe('403 AccessDenied');
      expect(await read(what, '', caller)).toBe(caller === 'other' ? await read(what) : '403 AccessDenied');
    }
    const shown = what === 'retention' ? ['GOVERNANCE', SOON, undefined] : [undefined, undefined, 'ON'];
    expect(await lockOf(`/${bucket}/k`, 'other')).toEqual(shown);
    expect(await lockOf(`/${bucket}/k`, 'anonymous')).toEqual([undefined, undefined, undefined]);
  });
});

describe('deletion', () => {
  test('without a version makes a marker; the locked version stays below it', async () => {
    const versionId = await put(GOVERNED);
    const marker = (await owner({ method: 'DELETE', target: `/${bucket}/k` }, 204)).headers['x-amz-version-id'] ?? '';
    expect(await remove(versionId)).toBe('403 AccessDenied');
    expect(await remove(marker), 'a marker is never locked').toBe('204');
    expect(await remove(versionId)).toBe('403 AccessDenied');
    expect((await owner({ method: 'GET', target: `/${bucket}/k` }, 200)).body).toBe('text');
    expect(await remove(versionId, { [BYPASS]: 'true' })).toBe('204');
    expect(await as('owner', { method: 'GET', target: `/${bucket}/k?versionId=${versionId}` })).toBe('404 NoSuchVersion');
  });

  test.each<[string, Headers, string]>([
    ['GOVERNANCE', {}, '403 AccessDenied'],
    ['GOVERNANCE', { [BYPASS]: 'false' }, '403 AccessDenied'],
    ['GOVERNANCE', { [BYPASS]: 'true' }, '204'],
    ['COMPLIANCE', { [BYPASS]: 'true' }, '403 AccessDenied'],
  ])('of a version under %s with %j: %s, current or not', async (mode, headers, expected) => {
    for (const more of [false, true]) {
      const versionId = await put({ [MODE]: mode, [UNTIL]: SOON });
      if (more) await put();
      expect(await remove(versionId, headers), more ? 'not current' : 'current').toBe(expected);
      expect(await as('owner', { method: 'HEAD', target: `/${bucket}/k?versionId=${versionId}` })).toBe(expected === '204' ? '404' : '200');
    }
  });

  test('overwriting and conditional deletion lose no locked version', async () => {
    const versionId = await put(GOVERNED);
    await put();
    const { etag = '' } = (await owner({ method: 'HEAD', target: `/${bucket}/k` }, 200)).headers;
    await owner({ method: 'DELETE', target: `/${bucket}/k`, headers: { 'if-match': etag } }, 204);
    expect((await owner({ method: 'GET', target: `/${bucket}/k?versionId=${versionId}` }, 200)).body).toBe('text');
  });

  test('of the null version, which was there before', async () => {
    bucket = `${bucket}-later`;
    await owner({ method: 'PUT', target: `/${bucket}` }, 200);
    await owner({ method: 'PUT', target: `/${bucket}/k`, body: 'old' }, 200);
    const versioning = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    await owner({ method: 'PUT', target: `/${bucket}?versioning`, body: versioning }, 200);
    await setDefault('<Mode>GOVERNANCE</Mode><Days>1</Days>');
    expect(await putDocument('legal-hold', legalHold('ON'), { versionId: 'null' }), 'an older PUT may still land').toBe('503 ServiceUnavailable');
    await sleep(DRAIN_MS);
    expect(await read('retention'), 'the default is for new objects').toBe('404 NoSuchObjectLockConfiguration');
    expect(await putDocument('retention', retention('GOVERNANCE', SOON), { versionId: 'null' })).toBe('200');
    expect(await remove('null')).toBe('403 AccessDenied');
    await put();
    expect([await read('retention', 'null'), await remove('null')]).toEqual([`GOVERNANCE ${SOON}`, '403 AccessDenied']);
    expect(await putDocument('legal-hold', legalHold('ON'), { versionId: 'null' })).toBe('200');
    expect(await remove('null', { [BYPASS]: 'true' })).toBe('403 AccessDenied');
    expect(await putDocument('legal-hold', legalHold('OFF'), { versionId: 'null' })).toBe('200');
    expect(await remove('null', { [BYPASS]: 'true' })).toBe('204');
    expect(await as('owner', { method: 'GET', target: `/${bucket}/k?versionId=null` })).toBe('404 NoSuchVersion');
  });

  test('with the bypass header in a bucket without object lock', async () => {
    bucket = `${bucket}-without`;
    await owner({ method: 'PUT', target: `/${bucket}` }, 200);
    await put();
    for (const value of ['true', 'false']) {
      expect(await as('owner', { method: 'DELETE', target: `/${bucket}/k`, headers: { [BYPASS]: value } })).toBe('400 InvalidArgument');
    }
    expect(await as('owner', { method: 'GET', target: `/${bucket}/k` })).toBe('200');
    expect(await removeMany([['k']], { [BYPASS]: 'true' })).toBe('Deleted k');
  });

  test('bypassing takes a permission, whoever may write', async () => {
    await owner({ method: 'PUT', target: `/${bucket}?acl`, headers: { 'x-amz-acl': 'public-read-write' } }, 200);
    const versionId = await put(GOVERNED);
    for (const caller of ['other', 'anonymous'] as const) {
      expect(await remove(versionId, { [BYPASS]: 'true' }, caller)).toBe('403 AccessDenied');
      expect(await removeMany([['k', versionId]], { [BYPASS]: 'true' }, caller)).toBe('403 AccessDenied');
    }
    expect(await as('owner', { method: 'HEAD', target: `/${bucket}/k?versionId=${versionId}` })).toBe('200');
  });

  test('of many: each for itself', async () => {
    const locked = await put(GOVERNED);
    const free = await put({}, 'free');
    expect(await removeMany([['k', locked], ['free', free]])).toBe('Deleted free; AccessDenied k');
    expect(await removeMany([['k']]), 'a marker').toBe('Deleted k');
    expect(await removeMany([['k', locked]], { [BYPASS]: 'true' })).toBe('Deleted k');
    const compliant = await put({ [MODE]: 'COMPLIANCE', [UNTIL]: SOON });
    expect(await removeMany([['k', compliant]], { [BYPASS]: 'true' })).toBe('AccessDenied k');
  });
});

async function removeMany(versions: readonly (readonly [key: string, versionId?: string])[], headers: Headers = {}, caller: Caller = 'owner'): Promise<string> {
  const objects = versions.map(([key, id]) => `<Object><Key>${key}</Key>${id === undefined ? '' : `<VersionId>${id}</VersionId>`}</Object>`);
  const body = `<Delete>${objects.join('')}</Delete>`;
  const answer = await send(gateway.port, caller, { method: 'POST', target: `/${bucket}?delete`, headers: { ...headers, 'content-md5': contentMd5(body) }, body });
  if (answer.status !== 200) return outcome(answer);
  const keyOf = (element: string): string => /<Key>([^<]*)</.exec(element)?.[1] ?? '';
  return [
    ...[...answer.body.matchAll(/<Deleted>(.*?)<\/Deleted>/g)].map(([, element = '']) => `Deleted ${keyOf(element)}`),
    ...[...answer.body.matchAll(/<Error>(.*?)<\/Error>/g)].map(([, element = '']) => `${/<Code>(\w+)</.exec(element)?.[1] ?? ''} ${keyOf(element)}`),
  ].join('; ');
}
