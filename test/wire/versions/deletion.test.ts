import { describe, expect, test } from 'vitest';
import { type Caller, contentMd5 } from '../../support/clients/acl-client.ts';
import {
  OF_S3,
  type State,
  UNKNOWN,
  as,
  ask,
  bucket,
  get,
  idOf,
  marker,
  object,
  openScene,
  put,
  remove,
  versioning,
} from './scene.ts';

openScene();

describe('DeleteObject', () => {
  test('never: the object goes, and no version is spoken of', async () => {
    for (const versionId of [undefined, 'null']) {
      await put();
      expect(await remove(versionId)).toBe('204');
      expect(await get()).toBe('404 NoSuchKey');
      expect(await remove(versionId)).toBe('204');
    }
  });

  test('enabled: a marker, also where nothing was', async () => {
    await versioning('enabled');
    expect(await remove()).toMatch(/^204 marker [0-9a-f]{32}$/);
    const version = await put();
    expect(await remove()).toMatch(/^204 marker [0-9a-f]{32}$/);
    expect(await remove()).toMatch(/^204 marker [0-9a-f]{32}$/);
    expect([await get(), await get(version)]).toEqual(['404 NoSuchKey', 'text']);
  });

  test.each<State>(['enabled', 'suspended'])(
    '%s: a version by its id goes for good, any number of times',
    async (state) => {
      await versioning('enabled');
      const [first, second] = [await put('first'), await put('second')];
      await versioning(state);
      expect(await remove(first)).toBe(`204 ${first}`);
      expect([await get(first), await get()]).toEqual(['404 NoSuchVersion', 'second']);
      expect(await remove(first)).toBe(`204 ${first}`);
      expect(await remove(UNKNOWN)).toBe(`204 ${UNKNOWN}`);
      expect(await remove(second)).toBe(`204 ${second}`);
      expect(await get()).toBe('404 NoSuchKey');
    },
  );

  test.each<State>(['enabled', 'suspended'])('%s: the last marker uncovers what was below it', async (state) => {
    await versioning('enabled');
    await put();
    const [first, second] = [await marker(), await marker()];
    await versioning(state);
    expect(await remove(first)).toBe(`204 marker ${first}`);
    expect(await get()).toBe('404 NoSuchKey');
    expect(await remove(second)).toBe(`204 marker ${second}`);
    expect(await get()).toBe('text');
  });

  test('suspended: a null marker takes the place of the null version, and of nothing else', async () => {
    await put('null version');
    await versioning('enabled');
    const version = await put('version');
    await versioning('suspended');
    expect(await remove()).toBe('204 marker null');
    expect([await get(), await get('null'), await get(version)]).toEqual([
      '404 NoSuchKey',
      '405 MethodNotAllowed',
      'version',
    ]);
    expect(await remove()).toBe('204 marker null');
    expect(await remove('null')).toBe('204 marker null');
    expect(await get()).toBe('version');
    expect(await remove('null')).toBe('204 null');
    expect(await get(version)).toBe('version');
  });

  test('suspended: the null version by its name', async () => {
    await versioning('enabled');
    const version = await put('version');
    await versioning('suspended');
    await put('null version');
    expect(await remove('null')).toBe('204 null');
    expect([await get(), await get(version)]).toEqual(['version', 'version']);
  });

  test.each<State>(['enabled', 'suspended'])('%s: If-Match', async (state) => {
    await versioning('enabled', state);
    expect(await remove(undefined, { 'if-match': '*' }), 'nothing there').toBe('204');
    const old = await ask({ method: 'PUT', target: object(), body: 'old' }, 200);
    const { etag = '' } = (await ask({ method: 'PUT', target: object(), body: 'new' }, 200)).headers;
    expect(await remove(undefined, { 'if-match': old.headers['etag'] ?? '' })).toBe('412 PreconditionFailed');
    expect(await get()).toBe('new');
    expect(await remove(undefined, { 'if-match': etag })).toMatch(/^204 marker /);
    expect(await remove(undefined, { 'if-match': etag }), 'a marker is no object').toBe('204');
    await put('again');
    expect(await remove(undefined, { 'if-match': '*' })).toMatch(/^204 marker /);
  });

  test('If-Match with a version is judged on that version', async () => {
    await versioning('enabled');
    const old = await ask({ method: 'PUT', target: object(), body: 'old' }, 200);
    const { etag = '' } = (await ask({ method: 'PUT', target: object(), body: 'new' }, 200)).headers;
    expect(await remove(idOf(old), { 'if-match': etag })).toBe('412 PreconditionFailed');
    expect(await get(idOf(old))).toBe('old');
    expect(await remove(idOf(old), { 'if-match': old.headers['etag'] ?? '' })).toBe(`204 ${idOf(old)}`);
  });

  test('for good is for the owner of the bucket alone', async () => {
    await put('null version');
    await versioning('enabled');
    await ask({ method: 'PUT', target: `/${bucket}?acl`, headers: { 'x-amz-acl': 'public-read-write' } }, 200);
    const version = await put();
    for (const caller of ['other', 'anonymous'] as const) {
      for (const id of [version, 'null', UNKNOWN]) {
        expect(await as(caller, { method: 'DELETE', target: object(id) })).toBe('403 AccessDenied');
      }
      expect(await removeMany(`<Object><Key>k</Key><VersionId>${version}</VersionId></Object>`, caller)).toEqual([
        `AccessDenied k ${version}`,
      ]);
      expect(await as(caller, { method: 'DELETE', target: object() })).toBe('204');
    }
    expect([await get(version), await get('null')]).toEqual(['text', 'null version']);
  });
});

/** Of each element of the answer, all its texts. */
async function removeMany(objects: string, caller: Caller = 'owner'): Promise<string[]> {
  const body = `<Delete>${objects}</Delete>`;
  const { body: result } = await ask(
    { method: 'POST', target: `/${bucket}?delete`, headers: { 'content-md5': contentMd5(body) }, body },
    200,
    caller,
  );
  const textOf = (element: string, name: string): string[] =>
    [new RegExp(`<${name}>([^<]*)<`).exec(element)?.[1] ?? ''].filter(Boolean);
  const names = ['Code', 'Key', 'VersionId', 'DeleteMarker', 'DeleteMarkerVersionId'];
  return [...result.matchAll(/<(?:Deleted|Error)>(.*?)<\/(?:Deleted|Error)>/g)]
    .map(([, element = '']) => names.flatMap((name) => textOf(element, name)).join(' '))
    .sort();
}

describe('DeleteObjects', () => {
  const item = (key: string, more = ''): string => `<Object><Key>${key}</Key>${more}</Object>`;
  const named = (key: string, versionId: string): string => item(key, `<VersionId>${versionId}</VersionId>`);

  test('makes markers, deletes versions and markers, and says which', async () => {
    await versioning('enabled');
    const version = await put();
    const old = await marker();
    await put('other', 'other');
    const [a = '', b = '', c = ''] = await removeMany(named('k', version) + named('k', old) + item('other'));
    expect([a, b]).toEqual([`k ${old} true ${old}`, `k ${version}`].sort());
    expect(c).toMatch(/^other true [0-9a-f]{32}$/);
    expect([await get(), await get(version)]).toEqual(['404 NoSuchKey', '404 NoSuchVersion']);
    expect(await removeMany(named('k', version) + named('k', UNKNOWN)), 'gone already').toEqual(
      [`k ${UNKNOWN}`, `k ${version}`].sort(),
    );
  });

  test('all versions of a key at once', async () => {
    await put('null version');
    await versioning('enabled');
    const ids = ['null', await put('1'), await put('2'), await put('3')];
    expect(await removeMany(ids.map((id) => named('k', id)).join(''))).toEqual(ids.map((id) => `k ${id}`).sort());
    for (const id of [undefined, ...ids]) expect(await get(id)).toMatch(/^404 /);
  });

  test('suspended: null markers', async () => {
    await versioning('enabled', 'suspended');
    await put();
    expect(await removeMany(item('k') + item('none'))).toEqual(['k true null', 'none true null']);
    expect(await removeMany(named('k', 'null'))).toEqual(['k null true null']);
  });

  test('never: no word about versions', async () => {
    await put();
    expect(await removeMany(item('k') + item('none'))).toEqual(['k', 'none']);
    await put();
    expect(await removeMany(named('k', UNKNOWN))).toEqual([`NoSuchVersion k ${UNKNOWN}`]);
    expect(await removeMany(named('k', OF_S3))).toEqual([`NoSuchVersion k ${OF_S3}`]);
    expect(await get()).toBe('text');
  });

  test('an id that no version can have is an error of its own', async () => {
    await versioning('enabled');
    const version = await put();
    expect(await removeMany(named('k', 'x') + named('k', version))).toEqual(
      ['NoSuchVersion k x', `k ${version}`].sort(),
    );
  });

  test.each([UNKNOWN, OF_S3])('a version that is not there is deleted already: %s', async (id) => {
    await versioning('enabled');
    await put();
    expect(await removeMany(named('k', id) + named('none', id))).toEqual([`k ${id}`, `none ${id}`]);
    expect(await get()).toBe('text');
  });

  test.each<State>(['never', 'enabled', 'suspended'])('%s: ETag is a condition', async (state) => {
    await versioning(state);
    const { etag = '' } = (await ask({ method: 'PUT', target: object(), body: 'text' }, 200)).headers;
    const conditional = (value: string): string => item('k', `<ETag>${value.replaceAll('"', '&quot;')}</ETag>`);
    expect(await removeMany(conditional('"0"'))).toEqual(['PreconditionFailed k']);
    expect(await get()).toBe('text');
    const [deleted] = await removeMany(conditional(etag));
    expect(deleted).toMatch({ never: /^k$/, enabled: /^k true [0-9a-f]{32}$/, suspended: /^k true null$/ }[state]);
    expect(await removeMany(conditional(etag)), 'nothing there').toEqual(['k']);
  });

  test('ETag with a version is judged on that version', async () => {
    await versioning('enabled');
    const old = await ask({ method: 'PUT', target: object(), body: 'old' }, 200);
    await put('new');
    const conditional = (etag: string): string =>
      item('k', `<VersionId>${idOf(old)}</VersionId><ETag>${etag.replaceAll('"', '&quot;')}</ETag>`);
    expect(await removeMany(conditional('"0"'))).toEqual([`PreconditionFailed k ${idOf(old)}`]);
    expect(await removeMany(conditional(old.headers['etag'] ?? ''))).toEqual([`k ${idOf(old)}`]);
  });
});
