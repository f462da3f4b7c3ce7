import { describe, expect, test } from 'vitest';
import { OF_S3, UNKNOWN, as, ask, bucket, get, idOf, marker, object, openScene, put, versioning } from './scene.ts';

openScene();

describe('a source of a copy', () => {
  /** Version that was copied as the answer says, and the text of the copy. */
  const COPIES: Readonly<Record<string, (source: string) => Promise<[string, string]>>> = {
    CopyObject: async (source) => {
      const answer = await ask(
        { method: 'PUT', target: `/${bucket}/copy`, headers: { 'x-amz-copy-source': source } },
        200,
      );
      return [
        answer.headers['x-amz-copy-source-version-id'] ?? 'none',
        (await ask({ method: 'GET', target: `/${bucket}/copy` }, 200)).body,
      ];
    },
    UploadPartCopy: async (source) => {
      const created = await ask({ method: 'POST', target: `/${bucket}/copy?uploads` }, 200);
      const uploadId = /<UploadId>([^<]+)</.exec(created.body)?.[1] ?? '';
      const part = await ask(
        {
          method: 'PUT',
          target: `/${bucket}/copy?partNumber=1&uploadId=${uploadId}`,
          headers: { 'x-amz-copy-source': source },
        },
        200,
      );
      expect(idOf(part), 'a part is no version').toBe('none');
      const etag = /<ETag>(?:&quot;|")?([0-9a-f]+)/.exec(part.body)?.[1] ?? '';
      const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part></CompleteMultipartUpload>`;
      await ask({ method: 'POST', target: `/${bucket}/copy?uploadId=${uploadId}`, body }, 200);
      return [
        part.headers['x-amz-copy-source-version-id'] ?? 'none',
        (await ask({ method: 'GET', target: `/${bucket}/copy` }, 200)).body,
      ];
    },
  };

  test.each(Object.entries(COPIES))(
    '%s: current or by its id; said unless it is the null version',
    async (_name, copy) => {
      await put('null version');
      expect(await copy(object())).toEqual(['none', 'null version']);
      await versioning('enabled');
      const [first, second] = [await put('first'), await put('second')];
      expect(await copy(object())).toEqual([second, 'second']);
      expect(await copy(object(first))).toEqual([first, 'first']);
      expect(await copy(object('null'))).toEqual(['none', 'null version']);
      await versioning('suspended');
      expect(await copy(object(first))).toEqual([first, 'first']);
      await put('new null version');
      expect(await copy(object())).toEqual(['none', 'new null version']);
    },
  );

  test.each([
    ['', '400 InvalidArgument'],
    ['x', '400 InvalidArgument'],
    [UNKNOWN, '404 NoSuchVersion'],
    [OF_S3, '404 NoSuchVersion'],
    ['null', '404 NoSuchVersion'],
  ])('UploadPartCopy of version "%s": %s', async (versionId, expected) => {
    await versioning('enabled');
    await put();
    expect(await partCopy(object(versionId))).toBe(expected);
  });

  test('UploadPartCopy of a delete marker', async () => {
    await versioning('enabled');
    await put();
    const id = await marker();
    expect([await partCopy(object()), await partCopy(object(id))]).toEqual(['404 NoSuchKey', '400 InvalidRequest']);
  });

  async function partCopy(source: string): Promise<string> {
    const created = await ask({ method: 'POST', target: `/${bucket}/copy?uploads` }, 200);
    const uploadId = /<UploadId>([^<]+)</.exec(created.body)?.[1] ?? '';
    return as('owner', {
      method: 'PUT',
      target: `/${bucket}/copy?partNumber=1&uploadId=${uploadId}`,
      headers: { 'x-amz-copy-source': source },
    });
  }

  test('an older version onto its own key brings it back', async () => {
    await versioning('enabled');
    const [first] = [await put('first'), await put('second')];
    const restored = idOf(
      await ask({ method: 'PUT', target: object(), headers: { 'x-amz-copy-source': object(first) } }, 200),
    );
    expect([await get(), await get(restored), await get(first)]).toEqual(['first', 'first', 'first']);
    expect(restored).not.toBe(first);
    expect(await as('owner', { method: 'PUT', target: object(), headers: { 'x-amz-copy-source': object() } })).toBe(
      '400 InvalidRequest',
    );
  });
});
