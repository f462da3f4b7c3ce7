import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BlobStore } from '../../src/store/blob-store.ts';
import { lockedDown } from '../support/backends/fault-proxy/plans.ts';
import { type World as Gateway, World, element } from '../wire/spec/world.ts';
import { type FaultyBackend, startFaultyBackend } from './backends.ts';

let backend: FaultyBackend;
let store: BlobStore;
let world: Gateway;

beforeAll(async () => {
  backend = await startFaultyBackend('azure');
  backend.proxy.follow(lockedDown());
  store = backend.open();
  world = await World.open({}, store);
});
afterAll(async () => {
  await world.close();
  await backend.stop();
});

const md5 = (text: string): string => `"${createHash('md5').update(text).digest('hex')}"`;
const LARGE = 'x'.repeat(5 * 1024 * 1024);

describe('an account whose service may read no source by URL', () => {
  test('objects are copied, with their headers, metadata and ETag', async () => {
    const bucket = await world.bucket();
    await world.must('PUT', `/${bucket}/source`, {
      body: 'bytes',
      headers: { 'content-type': 'text/x', 'x-amz-meta-a': 'b' },
    });
    for (const headers of [
      {},
      { 'x-amz-metadata-directive': 'REPLACE', 'content-type': 'text/y', 'x-amz-meta-a': 'c' },
    ]) {
      await world.must('PUT', `/${bucket}/copy`, { headers: { ...headers, 'x-amz-copy-source': `/${bucket}/source` } });
      const copy = await world.must('GET', `/${bucket}/copy`);
      expect([copy.body, copy.headers['content-type'], copy.headers['x-amz-meta-a'], copy.headers['etag']]).toEqual([
        'bytes',
        'content-type' in headers ? 'text/y' : 'text/x',
        'content-type' in headers ? 'c' : 'b',
        md5('bytes'),
      ]);
    }
    expect(store.copyFallback).toMatchObject({ active: true });
    expect(store.copyFallback?.streamed).toBeGreaterThan(1);
  });

  test('conditions of the source and of the target hold', async () => {
    const bucket = await world.bucket();
    await world.must('PUT', `/${bucket}/source`, { body: 'bytes' });
    const copy = (headers: Readonly<Record<string, string>>): Promise<string> =>
      world.outcome('PUT', `/${bucket}/copy`, { headers: { ...headers, 'x-amz-copy-source': `/${bucket}/source` } });
    expect(await copy({ 'x-amz-copy-source-if-match': '"0"' })).toBe('412 PreconditionFailed');
    expect(await copy({ 'if-none-match': '*' })).toBe('200');
    expect(await copy({ 'if-none-match': '*' })).toBe('412 PreconditionFailed');
    expect(await world.outcome('PUT', `/${bucket}/copy`, { headers: { 'x-amz-copy-source': `/${bucket}/none` } })).toBe(
      '404 NoSuchKey',
    );
  });

  test('a source that another replica has changed since this one looked at it is copied as it is', async () => {
    const bucket = await world.bucket();
    const replica = await World.open({}, backend.open());
    const [source, copy] = [`/${bucket}/source`, `/${bucket}/copy`];
    try {
      await world.must('PUT', source, { body: 'first', headers: { 'x-amz-meta-a': 'one' } });
      await world.must('HEAD', source);
      expect((await world.copy(copy, source)).outcome).toBe('200');
      for (const body of ['first', 'second']) {
        await replica.must('PUT', source, { body, headers: { 'x-amz-meta-a': body } });
        expect((await world.copy(copy, source)).outcome).toBe('200');
        const copied = await world.must('GET', copy);
        expect([copied.body, copied.headers['x-amz-meta-a'], copied.headers['etag']]).toEqual([body, body, md5(body)]);
      }
      await replica.must('DELETE', source);
      expect((await world.copy(copy, source)).outcome).toBe('404 NoSuchKey');
    } finally {
      await replica.close();
    }
  });

  test.each(['never', 'Enabled', 'Suspended'])(
    'parts are copied, uploads completed, overwritten and settled, versions %s',
    async (versioning) => {
      const bucket = await world.bucket();
      if (versioning !== 'never') {
        for (const status of versioning === 'Enabled' ? ['Enabled'] : ['Enabled', 'Suspended']) {
          await world.must('PUT', `/${bucket}?versioning`, {
            body: `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`,
          });
        }
      }
      await world.must('PUT', `/${bucket}/source`, { body: LARGE });
      const begun = await world.must('POST', `/${bucket}/key?uploads`);
      const id = element(begun.body, 'UploadId');
      const at = (number: number): string => `/${bucket}/key?partNumber=${String(number)}&uploadId=${id}`;
      const part = await world.must('PUT', at(1), { headers: { 'x-amz-copy-source': `/${bucket}/source` } });
      const end = await world.must('PUT', at(2), { body: 'end' });
      const listed = [element(part.body, 'ETag').replaceAll('&quot;', '"'), end.headers['etag'] ?? ''];
      const body = `<CompleteMultipartUpload>${listed.map((etag, n) => `<Part><PartNumber>${String(n + 1)}</PartNumber><ETag>${etag}</ETag></Part>`).join('')}</CompleteMultipartUpload>`;
      await world.must('POST', `/${bucket}/key?uploadId=${id}`, { body });
      expect((await world.must('GET', `/${bucket}/key`)).body).toBe(`${LARGE}end`);
      await world.must('PUT', `/${bucket}/again`, { headers: { 'x-amz-copy-source': `/${bucket}/key` } });
      expect((await world.must('GET', `/${bucket}/again`)).body).toBe(`${LARGE}end`);
      if (versioning === 'never') {
        await expect.poll(async () => await plainBytes(bucket, 'key'), { timeout: 30_000 }).toBe(LARGE.length + 3);
      }
      await world.must('PUT', `/${bucket}/key`, { body: 'over' });
      expect((await world.must('GET', `/${bucket}/key`)).body).toBe('over');
      await world.must('DELETE', `/${bucket}/key`);
      expect(await world.outcome('GET', `/${bucket}/key`)).toBe('404 NoSuchKey');
    },
  );
});

/** Bytes of the blob at the key itself, which native tools see. */
async function plainBytes(container: string, name: string): Promise<number> {
  const { testCall } = await import('../support/test-call.ts');
  return (await store.head({ container, name }, testCall())).size;
}
