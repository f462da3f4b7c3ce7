import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Objects } from '../../../../src/manifest/objects/objects.ts';
import { ABSENT, type BlobStore } from '../../../../src/store/blob-store.ts';
import { StoreError } from '../../../../src/store/store-error.ts';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import { newToken } from '../../../../src/manifest/records/version-token.ts';
import { versionRef } from '../../../../src/manifest/records/version-names.ts';
import { OWNER, type TestManifest, publicationOf, putOf, testManifest } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';

const MD5_OF_ONE = 'f97c5d29941bfb1b2fdab0874906ab82';

async function text(objects: Objects, { bucket }: TestManifest, key: string): Promise<string> {
  const { body } = await objects.open({ bucket, key: key }, {}, testCall());
  const chunks: Buffer[] = [];
  for await (const chunk of body.stream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** A store whose `write` is applied and then answered with a lost answer, for the first `times` conditional writes. */
function losingAnswers(inner: BlobStore, times: number): BlobStore {
  let left = times;
  return new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== 'write') return value.bind(target) as unknown;
      const write: BlobStore['write'] = async (ref, body, request, call) => {
        const result = await target.write(ref, body, request, call);
        if (request.condition === undefined || ref.container === 'system' || left-- <= 0) return result;
        throw new StoreError('unavailable', { call: 'write', lost: true });
      };
      return write;
    },
  });
}

describe('objects of a never-versioned bucket', () => {
  it('stores an object inline in one backend call and reads it back in one', async () => {
    const manifest = await testManifest();
    const { objects, bucket } = manifest;
    const put = testCall();
    const committed = await objects.put({ bucket, key: 'k' }, putOf('one'), put);
    expect(committed.etag).toBe(MD5_OF_ONE);
    expect(put.facts.backendCalls).toBe(1);
    const get = testCall();
    const { view, body } = await objects.open({ bucket, key: 'k' }, {}, get);
    body.discard();
    expect(get.facts.backendCalls).toBe(1);
    expect(view).toMatchObject({
      etag: MD5_OF_ONE,
      size: 3,
      headers: { contentType: 'text/plain' },
      ownerId: bucket.ownerId,
    });
    expect(view.mtime).toBe(committed.mtime);
    expect(view.mtime % 1000).toBe(0);
  });

  it('keeps metadata of any name and value, natively where the cloud can hold it', async () => {
    const { objects, bucket, store } = await testManifest();
    const userMetadata = {
      plain: 'value',
      'with-dash': 'x',
      '1st': 'y',
      empty: '',
      'latin\u00e9': 'caf\u00e9',
      s3gw: 'reserved',
    };
    const headers = { contentType: 'a/b', contentDisposition: 'attachment; filename="\u00e9"' };
    const attributes = { headers, userMetadata, expires: 'never', websiteRedirect: '/x', storageClass: 'GLACIER' };
    await objects.put({ bucket, key: 'k' }, putOf('one', { attributes }), testCall());
    expect(await objects.find({ bucket, key: 'k' }, testCall())).toMatchObject(attributes);
    const blob = await store.head({ container: bucket.home.container, name: 'k' }, testCall());
    expect(blob).toMatchObject({ contentType: 'a/b', metadata: { plain: 'value' } });
    expect(blob.contentDisposition).toBeUndefined();
    expect(Object.keys(blob.metadata)).toEqual(['plain', 's3gw']);
  });

  it('spills a record that is too big for the blob, and reads it back', async () => {
    const { objects, bucket, store } = await testManifest();
    const userMetadata = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`not-native-${String(i)}`, '\u00ff'.repeat(40)]),
    );
    await objects.put({ bucket, key: 'k' }, putOf('one', { attributes: { headers: {}, userMetadata } }), testCall());
    expect((await objects.find({ bucket, key: 'k' }, testCall())).userMetadata).toEqual(userMetadata);
    const spilled = await store.list('system', { prefix: 'o/', limit: 10 }, testCall());
    expect(spilled.entries).toHaveLength(1);
  });

  it('shows blobs that native tools wrote', async () => {
    const manifest = await testManifest();
    const { objects, bucket, store } = manifest;
    const metadata = { made_by: 'a tool', s3gw: 'not a record of ours' };
    await store.write(
      { container: 'bucket', name: 'native' },
      Buffer.from('one'),
      { headers: { contentType: 'a/b' }, metadata },
      testCall(),
    );
    const view = await objects.find({ bucket, key: 'native' }, testCall());
    expect(view).toMatchObject({
      etag: MD5_OF_ONE,
      size: 3,
      headers: { contentType: 'a/b' },
      userMetadata: { made_by: 'a tool' },
    });
    expect(await text(objects, manifest, 'native')).toBe('one');
  });

  it('answers NoSuchKey, and NoSuchBucket when the container has gone', async () => {
    const { objects, bucket, store } = await testManifest();
    await expect(objects.find({ bucket, key: 'none' }, testCall())).rejects.toMatchObject({
      code: 'NoSuchKey',
      extra: { Key: 'none' },
    });
    await expect(objects.open({ bucket, key: 'none' }, {}, testCall())).rejects.toMatchObject({ code: 'NoSuchKey' });
    await store.removeContainer('bucket', testCall());
    await expect(objects.put({ bucket, key: 'k' }, putOf('x'), testCall())).rejects.toMatchObject({
      code: 'NoSuchBucket',
    });
    await expect(objects.open({ bucket, key: 'k' }, {}, testCall())).rejects.toMatchObject({ code: 'NoSuchBucket' });
  });

  it('removes on the revision read and honours If-Match', async () => {
    const { objects, bucket } = await testManifest();
    expect(await objects.remove({ bucket, key: 'k' }, { conditions: {}, ownerId: OWNER }, testCall())).toEqual({
      deleteMarker: false,
    });
    await objects.put({ bucket, key: 'k' }, putOf('one'), testCall());
    await expect(
      objects.remove({ bucket, key: 'k' }, { conditions: { ifMatch: '"other"' }, ownerId: OWNER }, testCall()),
    ).rejects.toMatchObject({ code: 'PreconditionFailed' });
    const call = testCall();
    expect(
      await objects.remove({ bucket, key: 'k' }, { conditions: { ifMatch: MD5_OF_ONE }, ownerId: OWNER }, call),
    ).toEqual({ deleteMarker: false });
    expect(call.facts.backendCalls).toBe(2);
    await expect(objects.find({ bucket, key: 'k' }, testCall())).rejects.toMatchObject({ code: 'NoSuchKey' });
  });
});

describe('conditional writes', () => {
  it('creates once: 100 racing If-None-Match:* have exactly one winner', async () => {
    const { objects, bucket } = await testManifest();
    const racers = Array.from({ length: 100 }, (_, i) =>
      objects.put({ bucket, key: 'once' }, putOf(String(i), { conditions: { ifNoneMatch: '*' } }), testCall()),
    );
    const outcomes = await Promise.allSettled(racers);
    expect(outcomes.filter((o) => o.status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        expect(outcome.reason).toMatchObject({ code: 'PreconditionFailed', status: 412 });
      }
    }
  });

  it('never reports a winner twice, and never a 412 to the winner, when answers are lost', async () => {
    for (let lost = 1; lost <= 4; lost++) {
      const { objects, bucket } = await testManifest({ store: losingAnswers(new MemoryBlobStore(), lost) });
      const racers = Array.from({ length: 20 }, (_, i) =>
        objects.put({ bucket, key: 'once' }, putOf(String(i), { conditions: { ifNoneMatch: '*' } }), testCall()),
      );
      const outcomes = await Promise.allSettled(racers);
      expect(outcomes.filter((o) => o.status === 'fulfilled')).toHaveLength(1);
    }
  });

  it('answers 503, not 412, when a created object was replaced before the lost answer could be proved', async () => {
    const inner = new MemoryBlobStore();
    const lossy = losingAnswers(inner, 1);
    const { objects, bucket } = await testManifest({ store: lossy });
    const native = { container: 'bucket', name: 'k' };
    const head = lossy.head.bind(lossy);
    const store = new Proxy(lossy, {
      get: (target, name) =>
        name === 'head'
          ? async (...args: Parameters<BlobStore['head']>) => {
              await inner.write(native, Buffer.from('somebody else'), { metadata: {} }, testCall());
              return head(...args);
            }
          : (Reflect.get(target, name) as unknown),
    });
    const raced = { ...bucket, home: { ...bucket.home, store } };
    const outcome = objects.put(
      { bucket: raced, key: 'k' },
      putOf('mine', { conditions: { ifNoneMatch: '*' } }),
      testCall(),
    );
    await expect(outcome).rejects.toMatchObject({ kind: 'unavailable', detail: { code: 'OutcomeUnknown' } });
  });

  it('writes on the revision it judged: of two compare-and-swaps one loses with 412', async () => {
    const { objects, bucket } = await testManifest();
    const { etag } = await objects.put({ bucket, key: 'k' }, putOf('0'), testCall());
    const swap = (body: string) =>
      objects.put({ bucket, key: 'k' }, putOf(body, { conditions: { ifMatch: etag } }), testCall());
    const outcomes = await Promise.allSettled([swap('a'), swap('b'), swap('c')]);
    expect(outcomes.filter((o) => o.status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'PreconditionFailed' });
    }
  });

  it('answers 409 when the swap lost although the ETag still matches', async () => {
    const { objects, bucket } = await testManifest();
    const { etag } = await objects.put({ bucket, key: 'k' }, putOf('same'), testCall());
    const same = () => objects.put({ bucket, key: 'k' }, putOf('same', { conditions: { ifMatch: etag } }), testCall());
    const outcomes = await Promise.allSettled([same(), same()]);
    const refused = outcomes.filter((o) => o.status === 'rejected');
    expect(refused).toHaveLength(1);
    expect(refused[0]?.reason).toMatchObject({ code: 'ConditionalRequestConflict', status: 409 });
  });

  it('survives a lost answer of a compare-and-swap: applied once, reported once', async () => {
    const { objects, bucket } = await testManifest({ store: losingAnswers(new MemoryBlobStore(), 1) });
    const { etag } = await objects.put({ bucket, key: 'k' }, putOf('0'), testCall());
    const committed = await objects.put(
      { bucket, key: 'k' },
      putOf('one', { conditions: { ifMatch: etag } }),
      testCall(),
    );
    expect(committed.etag).toBe(MD5_OF_ONE);
  });

  it('If-Match on nothing is 404; If-None-Match with an ETag refuses only that one', async () => {
    const { objects, bucket } = await testManifest();
    await expect(
      objects.put({ bucket, key: 'k' }, putOf('x', { conditions: { ifMatch: '*' } }), testCall()),
    ).rejects.toMatchObject({ code: 'NoSuchKey' });
    const { etag } = await objects.put(
      { bucket, key: 'k' },
      putOf('x', { conditions: { ifNoneMatch: '"nothing"' } }),
      testCall(),
    );
    await expect(
      objects.put({ bucket, key: 'k' }, putOf('y', { conditions: { ifNoneMatch: etag } }), testCall()),
    ).rejects.toMatchObject({ code: 'PreconditionFailed' });
    await objects.put({ bucket, key: 'k' }, putOf('y', { conditions: { ifNoneMatch: '"other"' } }), testCall());
  });
});

const FIRST = newToken(5_000_000);
const SECOND = newToken(6_000_000);

describe('publishing, settling and copying', () => {
  async function published(manifest: TestManifest, key: string): Promise<void> {
    const { bucket, objects, store } = manifest;
    const blob = versionRef({ bucket, key }, FIRST);
    const { tokens } = await store.stagePart(blob, Buffer.from('staged bytes'), {}, testCall());
    await store.assemble(blob, { tokens, metadata: {}, condition: ABSENT }, testCall());
    const request = publicationOf({ version: FIRST, size: 12, etag: 'abc-1', parts: [{ number: 1, size: 12 }] });
    await objects.publish({ bucket, key }, request, testCall());
    manifest.settler.schedule({ bucket, key });
  }

  it('reads through the head before settling, and the same afterwards', async () => {
    const manifest = await testManifest({ settling: false });
    await published(manifest, 'k');
    const { objects, bucket, store } = manifest;
    const before = await objects.find({ bucket, key: 'k' }, testCall());
    expect(before).toMatchObject({
      etag: 'abc-1',
      size: 12,
      mtime: 5000,
      parts: [{ number: 1, size: 12 }],
      head: { kind: 'assembled' },
    });
    expect(await text(objects, manifest, 'k')).toBe('staged bytes');

    const { settle } = await import('../../../../src/manifest/versions/settle.ts');
    await settle({ bucket, key: 'k' }, testCall());
    const after = await objects.find({ bucket, key: 'k' }, testCall());
    expect(after).toMatchObject({
      etag: 'abc-1',
      size: 12,
      mtime: 5000,
      parts: [{ number: 1, size: 12 }],
      head: { kind: 'inline' },
    });
    expect(after.headers).toEqual(before.headers);
    expect(await text(objects, manifest, 'k')).toBe('staged bytes');
    const left = await store.list('system', { prefix: 'v/', limit: 10 }, testCall());
    expect(left.entries).toEqual([]);
  });

  it('settles after a publish', async () => {
    const manifest = await testManifest();
    await published(manifest, 'k');
    await manifest.settler.idle();
    expect(await manifest.objects.find({ bucket: manifest.bucket, key: 'k' }, testCall())).toMatchObject({
      etag: 'abc-1',
      head: { kind: 'inline' },
    });
  });

  it('settles what a crash left when somebody reads it', async () => {
    const crashed = await testManifest({ settling: false });
    await published(crashed, 'k');
    const { bucket, store } = crashed;
    const later = await testManifest({ store });
    expect((await later.objects.find({ bucket, key: 'k' }, testCall())).head.kind).toBe('assembled');
    await later.settler.idle();
    expect(await later.objects.find({ bucket, key: 'k' }, testCall())).toMatchObject({
      etag: 'abc-1',
      head: { kind: 'inline' },
    });
  });

  it('frees the private blob that a publish displaced', async () => {
    const manifest = await testManifest({ settling: false });
    await published(manifest, 'k');
    const { bucket, objects, store, settler } = manifest;
    await store.assemble(
      versionRef({ bucket, key: 'k' }, SECOND),
      { tokens: [], metadata: {}, condition: ABSENT },
      testCall(),
    );
    await objects.publish({ bucket, key: 'k' }, publicationOf({ version: SECOND, size: 0, etag: 'def-1' }), testCall());
    await settler.idle();
    await expect(store.head(versionRef({ bucket, key: 'k' }, FIRST), testCall())).rejects.toMatchObject({
      kind: 'notFound',
    });
    expect((await objects.find({ bucket, key: 'k' }, testCall())).etag).toBe('def-1');
  });

  it('stores a body beyond the largest single write through a private blob, with its true MD5', async () => {
    const manifest = await testManifest({
      store: new MemoryBlobStore({ capabilities: { maxWrite: 1000, maxStagedBlock: 700 } }),
    });
    const { objects, bucket, settler } = manifest;
    const content = 'x'.repeat(1500);
    const etag = createHash('md5').update(content).digest('hex');
    const committed = await objects.put(
      { bucket, key: 'big' },
      putOf(content, { facts: Promise.resolve({ md5: etag }) }),
      testCall(),
    );
    expect(committed.etag).toBe(etag);
    await settler.idle();
    expect(await objects.find({ bucket, key: 'big' }, testCall())).toMatchObject({
      size: 1500,
      etag,
      md5: etag,
      head: { kind: 'inline' },
    });
    expect(await text(objects, manifest, 'big')).toBe(content);
  });

  it('copies server-side with the ETag of the source: MD5, or the tag of its parts', async () => {
    const manifest = await testManifest({ settling: false });
    const { objects, bucket } = manifest;
    await objects.put({ bucket, key: 'a' }, putOf('one'), testCall());
    await published(manifest, 'm');
    for (const [from, etag, content] of [
      ['a', MD5_OF_ONE, 'one'],
      ['m', 'abc-1', 'staged bytes'],
    ] as const) {
      const view = await objects.find({ bucket, key: from }, testCall());
      const copy = {
        ...putOf(''),
        source: { bucket, view },
        sameAttributes: true,
        attributes: { headers: view.headers, userMetadata: view.userMetadata },
      };
      expect(await objects.copy({ bucket, key: `${from}-copy` }, copy, testCall())).toMatchObject({ etag });
      expect(await objects.find({ bucket, key: `${from}-copy` }, testCall())).toMatchObject({
        etag,
        size: content.length,
        headers: { contentType: 'text/plain' },
      });
      expect(await text(objects, manifest, `${from}-copy`)).toBe(content);
    }
  });
});
