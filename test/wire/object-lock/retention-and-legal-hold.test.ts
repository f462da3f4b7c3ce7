import { describe, expect, test } from 'vitest';
import { contentMd5 } from '../../support/clients/acl-client.ts';
import {
  BYPASS,
  GOVERNED,
  HOLD,
  MODE,
  PAST,
  SOON,
  UNTIL,
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
  retention,
  whileClockSays,
} from './scene.ts';

openScene();

const LATER = '2095-01-01T00:00:00.000Z';
const ABSENT_ID = '1'.padStart(32, '0');

describe('retention', () => {
  test('is none until it is set, of the version that is named', async () => {
    const [first, second] = [await put(), await put()];
    expect(await read('retention')).toBe('404 NoSuchObjectLockConfiguration');
    expect(await putDocument('retention', retention('GOVERNANCE', SOON), { versionId: first })).toBe('200');
    expect([await read('retention', first), await read('retention', second)]).toEqual([
      `GOVERNANCE ${SOON}`,
      '404 NoSuchObjectLockConfiguration',
    ]);
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
    for (const [headers, expected] of [
      [{}, plain],
      [{ [BYPASS]: 'false' }, plain],
      [{ [BYPASS]: 'true' }, bypassing],
    ] as const) {
      await put({ ...(from !== undefined && { [MODE]: from[0], [UNTIL]: from[1] }), [HOLD]: 'ON' });
      expect(await putDocument('retention', to, { headers }), JSON.stringify(headers)).toBe(expected);
      const now = [...to.matchAll(/>([^<>]+)</g)].map(([, text]) => text).join(' ');
      const before = from === undefined ? '' : from.join(' ');
      expect(await read('retention')).toBe((expected === '200' ? now : before) || '404 NoSuchObjectLockConfiguration');
      expect(await read('legal-hold'), 'the hold stays').toBe('ON');
    }
  });

  test('that is over holds nothing', async () => {
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const versionId = await put({ [MODE]: 'COMPLIANCE', [UNTIL]: until });
    expect(await remove(versionId)).toBe('403 AccessDenied');
    await whileClockSays(Date.parse(until) + 1, async () => {
      expect(await read('retention')).toBe(`COMPLIANCE ${until}`);
      expect(await putDocument('retention', '<Retention/>')).toBe('200');
      expect(await remove(versionId)).toBe('204');
    });
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
    expect([await read('legal-hold', first), await read('legal-hold', second)]).toEqual([
      'ON',
      '404 NoSuchObjectLockConfiguration',
    ]);
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
    expect([await remove(versionId), await remove(versionId, { [BYPASS]: 'true' })]).toEqual([
      '403 AccessDenied',
      '204',
    ]);
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
    const missing = {
      '': '404 NoSuchKey',
      [ABSENT_ID]: '404 NoSuchVersion',
      null: '404 NoSuchVersion',
      x: '400 InvalidArgument',
    };
    for (const [versionId, expected] of Object.entries(missing)) {
      expect([await read(what, versionId), await putDocument(what, body, { versionId })], versionId).toEqual([
        expected,
        expected,
      ]);
    }
    await put();
    const marker = (await owner({ method: 'DELETE', target: `/${bucket}/k` }, 204)).headers['x-amz-version-id'] ?? '';
    for (const versionId of ['', marker]) {
      expect([await read(what, versionId), await putDocument(what, body, { versionId })]).toEqual([
        '405 MethodNotAllowed',
        '405 MethodNotAllowed',
      ]);
    }
  });

  test('of a bucket without object lock', async () => {
    await bucketWithoutLock();
    for (const status of ['Enabled', 'Suspended']) {
      await put();
      expect([await read(what), await putDocument(what, body)]).toEqual(['400 InvalidRequest', '400 InvalidRequest']);
      const versioning = `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`;
      await owner({ method: 'PUT', target: `/${bucket}?versioning`, body: versioning }, 200);
    }
  });

  test('of a version that a bucket without versions cannot have: the id is wrong, before the bucket is', async () => {
    await bucketWithoutLock();
    await put();
    for (const versionId of [ABSENT_ID, 'bogus']) {
      expect([await read(what, versionId), await putDocument(what, body, { versionId })]).toEqual([
        '400 InvalidArgument',
        '400 InvalidArgument',
      ]);
    }
  });

  test('of what is not there, or by a document that is none, in a bucket without object lock', async () => {
    await bucketWithoutLock();
    expect(await read(what)).toBe('404 NoSuchKey');
    expect(await putDocument(what, '<LegalHold/>'), 'looked at first').toBe('400 MalformedXML');
    expect(await putDocument(what, '')).toBe('400 MalformedXML');
    expect(await putDocument(what, body)).toBe('400 InvalidRequest');
    await put();
    expect(await read(what)).toBe('400 InvalidRequest');
    for (const caller of ['other', 'anonymous'] as const) {
      expect(await putDocument(what, body, { caller })).toBe('403 AccessDenied');
      expect(await putDocument(what, '', { caller })).toBe('403 AccessDenied');
      expect(await read(what, '', caller)).toBe('403 AccessDenied');
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
    expect(
      await as('other', {
        method: 'PUT',
        target: `/${bucket}/k`,
        headers: { 'x-amz-acl': 'public-read' },
        body: 'theirs',
      }),
    ).toBe('200');
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
