import { describe, expect, test } from 'vitest';
import { type Caller, contentMd5, outcome } from '../../support/clients/acl-client.ts';
import {
  type Headers,
  BYPASS,
  DRAIN_MS,
  GOVERNED,
  MODE,
  SOON,
  UNTIL,
  answerTo,
  as,
  bucket,
  bucketWithoutLock,
  legalHold,
  openScene,
  owner,
  put,
  putDocument,
  read,
  remove,
  retention,
  setDefault,
  whileClockSays,
} from './scene.ts';

openScene();

describe('deletion', () => {
  test('without a version makes a marker; the locked version stays below it', async () => {
    const versionId = await put(GOVERNED);
    const marker = (await owner({ method: 'DELETE', target: `/${bucket}/k` }, 204)).headers['x-amz-version-id'] ?? '';
    expect(await remove(versionId)).toBe('403 AccessDenied');
    expect(await remove(marker), 'a marker is never locked').toBe('204');
    expect(await remove(versionId)).toBe('403 AccessDenied');
    expect((await owner({ method: 'GET', target: `/${bucket}/k` }, 200)).body).toBe('text');
    expect(await remove(versionId, { [BYPASS]: 'true' })).toBe('204');
    expect(await as('owner', { method: 'GET', target: `/${bucket}/k?versionId=${versionId}` })).toBe(
      '404 NoSuchVersion',
    );
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
      expect(await as('owner', { method: 'HEAD', target: `/${bucket}/k?versionId=${versionId}` })).toBe(
        expected === '204' ? '404' : '200',
      );
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
    await bucketWithoutLock();
    await owner({ method: 'PUT', target: `/${bucket}/k`, body: 'old' }, 200);
    const versioning = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    await owner({ method: 'PUT', target: `/${bucket}?versioning`, body: versioning }, 200);
    await setDefault('<Mode>GOVERNANCE</Mode><Days>1</Days>');
    expect(await putDocument('legal-hold', legalHold('ON'), { versionId: 'null' }), 'an older PUT may still land').toBe(
      '409 OperationAborted',
    );
    await whileClockSays(Date.now() + DRAIN_MS, deletesNullVersion);
  });

  async function deletesNullVersion(): Promise<void> {
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
  }

  test('with the bypass header in a bucket without object lock', async () => {
    await bucketWithoutLock();
    await put();
    for (const value of ['true', 'false']) {
      expect(await as('owner', { method: 'DELETE', target: `/${bucket}/k`, headers: { [BYPASS]: value } })).toBe(
        '400 InvalidArgument',
      );
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
    expect(
      await removeMany([
        ['k', locked],
        ['free', free],
      ]),
    ).toBe('Deleted free; AccessDenied k');
    expect(await removeMany([['k']]), 'a marker').toBe('Deleted k');
    expect(await removeMany([['k', locked]], { [BYPASS]: 'true' })).toBe('Deleted k');
    const compliant = await put({ [MODE]: 'COMPLIANCE', [UNTIL]: SOON });
    expect(await removeMany([['k', compliant]], { [BYPASS]: 'true' })).toBe('AccessDenied k');
  });
});

async function removeMany(
  versions: readonly (readonly [key: string, versionId?: string])[],
  headers: Headers = {},
  caller: Caller = 'owner',
): Promise<string> {
  const objects = versions.map(
    ([key, id]) => `<Object><Key>${key}</Key>${id === undefined ? '' : `<VersionId>${id}</VersionId>`}</Object>`,
  );
  const body = `<Delete>${objects.join('')}</Delete>`;
  const answer = await answerTo(
    { method: 'POST', target: `/${bucket}?delete`, headers: { ...headers, 'content-md5': contentMd5(body) }, body },
    caller,
  );
  if (answer.status !== 200) return outcome(answer);
  const keyOf = (element: string): string => /<Key>([^<]*)</.exec(element)?.[1] ?? '';
  return [
    ...[...answer.body.matchAll(/<Deleted>(.*?)<\/Deleted>/g)].map(([, element = '']) => `Deleted ${keyOf(element)}`),
    ...[...answer.body.matchAll(/<Error>(.*?)<\/Error>/g)].map(
      ([, element = '']) => `${/<Code>(\w+)</.exec(element)?.[1] ?? ''} ${keyOf(element)}`,
    ),
  ].join('; ');
}
