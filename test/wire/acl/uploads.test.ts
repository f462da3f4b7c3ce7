import { describe, expect, test } from 'vitest';
import { type Caller, type Sent, outcome } from '../../support/clients/acl-client.ts';
import { bucket, openScene, ask, as, grants } from './scene.ts';

openScene();

interface Started {
  readonly uploadId: string;
  /** What sent its only part. */
  readonly partOf: Sent;
  readonly complete: Sent;
}

/** An upload, and its only part. */
async function startUpload(caller: Caller, target: string, headers: Sent['headers'] = {}): Promise<Started> {
  const created = await ask(caller, { method: 'POST', target: `${target}?uploads`, headers });
  const uploadId = /<UploadId>([^<]+)</.exec(created.body)?.[1] ?? '';
  const partOf = { method: 'PUT', target: `${target}?partNumber=1&uploadId=${uploadId}`, body: 'part' };
  const part = await ask(caller, partOf);
  expect(outcome(part)).toBe('200');
  const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${part.headers['etag'] ?? ''}</ETag></Part></CompleteMultipartUpload>`;
  return { uploadId, partOf, complete: { method: 'POST', target: `${target}?uploadId=${uploadId}`, body } };
}

describe('an upload', () => {
  test('makes an object with the ACL it was created with', async () => {
    const target = `/${bucket}/big`;
    const { complete } = await startUpload('owner', target, { 'x-amz-acl': 'public-read' });
    expect(await as('owner', complete)).toBe('200');
    expect(await grants(target)).toEqual(['READ all', 'FULL_CONTROL owner']);
    expect((await ask('anonymous', { method: 'GET', target })).body).toBe('part');
    expect(await as('owner', { method: 'PUT', target: `${target}?acl`, headers: { 'x-amz-acl': 'private' } })).toBe(
      '200',
    );
    expect(await as('anonymous', { method: 'GET', target })).toBe('403 AccessDenied');
    const head = await ask('owner', { method: 'HEAD', target });
    expect(head.headers['etag']).toMatch(/^"[0-9a-f]{32}-1"$/);
  });

  test('who may write, and knows all of an upload of somebody else, is told nothing of how it ended', async () => {
    await as('owner', { method: 'PUT', target: `/${bucket}?acl`, headers: { 'x-amz-acl': 'public-read-write' } });
    for (const starter of ['owner', 'user'] as const) {
      const target = `/${bucket}/ours-${starter}`;
      const { complete } = await startUpload(starter, target);
      const outcomes: string[] = [];
      for (const caller of ['other', starter, 'other', 'anonymous', starter, 'owner'] as const) {
        outcomes.push(await as(caller, complete));
      }
      expect(outcomes).toEqual(['403 AccessDenied', '200', '403 AccessDenied', '403 AccessDenied', '200', '200']);
    }
  });

  test('uploads of another account in a public bucket are its own', async () => {
    await as('owner', { method: 'PUT', target: `/${bucket}?acl`, headers: { 'x-amz-acl': 'public-read-write' } });
    const target = `/${bucket}/theirs`;
    const { uploadId, partOf, complete } = await startUpload('other', target);
    expect(await as('anonymous', partOf)).toBe('403 AccessDenied');
    expect(await as('anonymous', { method: 'DELETE', target: `${target}?uploadId=${uploadId}` })).toBe(
      '403 AccessDenied',
    );
    expect(await as('other', { method: 'GET', target: `${target}?uploadId=${uploadId}` })).toBe('200');
    expect(await as('owner', { method: 'GET', target: `${target}?uploadId=${uploadId}` })).toBe('200');
    expect(await as('anonymous', complete)).toBe('403 AccessDenied');
    expect(await as('other', complete)).toBe('200');
    expect(await as('other', complete), 'repeated').toBe('200');
    expect(await as('anonymous', complete), 'repeated by somebody else who may write').toBe('403 AccessDenied');
    expect(await as('owner', complete), 'repeated by the owner of the bucket').toBe('200');
    expect(
      await as('anonymous', { ...complete, body: complete.body?.replace(/[0-9a-f]{32}/, '0'.repeat(32)) ?? '' }),
    ).toBe('404 NoSuchUpload');
    expect(await as('other', { method: 'GET', target })).toBe('200');
    expect(await as('owner', { method: 'GET', target })).toBe('403 AccessDenied');
  });

  test('that is not there is told to those who might have one, as to who may list its parts', async () => {
    const missing = `/${bucket}/none?uploadId=none`;
    const learned = async (method: string): Promise<string[]> => {
      const outcomes: string[] = [];
      for (const caller of ['owner', 'user', 'other', 'anonymous'] as const) {
        outcomes.push(await as(caller, { method, target: missing }));
      }
      return outcomes;
    };
    const [missed, refused] = ['404 NoSuchUpload', '403 AccessDenied'];
    for (const method of ['GET', 'DELETE']) expect(await learned(method)).toEqual([missed, missed, refused, refused]);
    await as('owner', { method: 'PUT', target: `/${bucket}?acl`, headers: { 'x-amz-acl': 'public-read-write' } });
    for (const method of ['GET', 'DELETE']) expect(await learned(method)).toEqual([missed, missed, missed, refused]);
  });
});
