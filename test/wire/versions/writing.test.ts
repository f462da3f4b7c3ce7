import { describe, expect, test } from 'vitest';
import {
  type Headers,
  TOKEN,
  UNKNOWN,
  as,
  ask,
  bucket,
  get,
  idOf,
  marker,
  multipart,
  object,
  openScene,
  put,
  remove,
  versioning,
} from './scene.ts';

openScene();

describe('what is written', () => {
  const WRITES: Readonly<Record<string, () => Promise<string>>> = {
    PutObject: () => put('written'),
    CopyObject: async () => {
      await put('written', 'source');
      return idOf(
        await ask({ method: 'PUT', target: object(), headers: { 'x-amz-copy-source': `/${bucket}/source` } }, 200),
      );
    },
    CompleteMultipartUpload: () => multipart('written'),
  };

  test.each(Object.entries(WRITES))('%s: names its version where it has an id', async (_name, write) => {
    expect(await write()).toBe('none');
    await versioning('enabled');
    const version = await write();
    expect(version).toMatch(TOKEN);
    expect([await get(version), await get('null')]).toEqual(['written', 'written']);
    await versioning('suspended');
    expect(await write(), 'not said of the null version').toBe('none');
    expect([await get(), await get(version)]).toEqual(['written', 'written']);
    expect(await remove('null')).toBe('204 null');
    expect(await remove(version)).toBe(`204 ${version}`);
    expect(await get()).toBe('404 NoSuchKey');
  });

  test.each(Object.entries(WRITES))(
    '%s: takes the place of the null version where versioning is suspended',
    async (_name, write) => {
      await versioning('enabled');
      const version = await put('version');
      await versioning('suspended');
      await put('null version');
      await write();
      expect([await get('null'), await get(version)]).toEqual(['written', 'version']);
      await remove('null');
      expect(await get()).toBe('version');
    },
  );

  test('an upload in parts has the place of its initiation', async () => {
    await versioning('enabled');
    let later = '';
    const version = await multipart('part', async () => {
      later = await put('later');
    });
    expect([await get(), await get(version), await get(later)]).toEqual(['later', 'part', 'later']);
    await remove(later);
    expect(await get()).toBe('part');
  });

  test('If-None-Match and If-Match see markers as nothing', async () => {
    await versioning('enabled');
    const { etag = '' } = (await ask({ method: 'PUT', target: object(), body: 'text' }, 200)).headers;
    const conditional = (headers: Headers): Promise<string> =>
      as('owner', { method: 'PUT', target: object(), headers, body: 'more' });
    expect(await conditional({ 'if-none-match': '*' })).toBe('412 PreconditionFailed');
    await marker();
    expect(await conditional({ 'if-match': etag })).toBe('404 NoSuchKey');
    expect(await conditional({ 'if-none-match': '*' })).toBe('200');
  });

  test('parts have no versions', async () => {
    await versioning('enabled');
    const created = await ask({ method: 'POST', target: object(undefined, 'uploads') }, 200);
    const uploadId = /<UploadId>([^<]+)</.exec(created.body)?.[1] ?? '';
    const target = object(UNKNOWN, `partNumber=1&uploadId=${uploadId}`);
    expect(await as('owner', { method: 'PUT', target, body: 'part' })).toBe('400 InvalidArgument');
  });
});
