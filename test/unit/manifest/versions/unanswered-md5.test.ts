import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import type { Versioning } from '../../../../src/manifest/records/bucket.ts';
import type { Committed, PutRequest } from '../../../../src/manifest/heads/object-requests.ts';
import type { BlobProperties, BlobStore, WriteResult } from '../../../../src/store/blob-store.ts';
import { StoreError } from '../../../../src/store/store-error.ts';
import { plainStore } from '../../../../src/store/wrap-store.ts';
import { putOf, testManifest } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';
import { VersionedBucket } from '../../../support/manifest/versioned.ts';

const TEXT = 'hello';
const MD5 = createHash('md5').update(TEXT).digest('hex');
const CRC32 = { algorithm: 'CRC32', value: 'NhCmhg==' } as const;

/** A service that does not say the MD5 of what it stored when it is `written`; or `never` says one. */
type Silence = 'written' | 'never';

function silent<T extends WriteResult | BlobProperties>({ md5: _md5, ...rest }: T): T {
  return rest as T;
}

type OpenStore = { -readonly [Name in keyof BlobStore]: BlobStore[Name] };

function withoutMd5(silence: Silence): OpenStore {
  const inner = new MemoryBlobStore();
  const quiet = <T extends BlobProperties>(properties: T): T => (silence === 'never' ? silent(properties) : properties);
  return {
    ...plainStore(inner),
    write: async (...args) => silent(await inner.write(...args)),
    head: async (...args) => quiet(await inner.head(...args)),
    read: async (...args) => {
      const { properties, body } = await inner.read(...args);
      return { properties: quiet(properties), body };
    },
  };
}

const BODIES: Readonly<Record<string, () => Partial<PutRequest>>> = {
  held: () => ({}),
  'held, its MD5 said': () => ({ md5: MD5 }),
  streamed: () => ({
    body: { size: TEXT.length, stream: Readable.from([Buffer.from(TEXT)]) },
    facts: Promise.resolve({}),
  }),
  'streamed, its MD5 found on the way': () => ({
    body: { size: TEXT.length, stream: Readable.from([Buffer.from(TEXT)]) },
    facts: Promise.resolve({ md5: MD5 }),
  }),
  'streamed, with a trailer': () => ({
    body: { size: TEXT.length, stream: Readable.from([Buffer.from(TEXT)]) },
    facts: Promise.resolve({ checksum: CRC32 }),
  }),
};

for (const versioning of ['never', 'enabled', 'suspended'] as Versioning[]) {
  describe(`a service that says no MD5, versioning ${versioning}`, () => {
    for (const silence of ['written', 'never'] as const) {
      for (const [name, request] of Object.entries(BODIES)) {
        it(`${name}; the service says it ${silence === 'never' ? 'never' : 'to reads only'}: the answer's ETag is that of every read`, async () => {
          const key = await VersionedBucket.create({ store: withoutMd5(silence) });
          key.set(versioning);
          const { objects } = key.manifest;
          const call = testCall();
          const { etag, checksum, versionId } = await objects.put(
            { bucket: key.bucket, key: 'k' },
            putOf(TEXT, request()),
            call,
          );
          const isKnown = silence === 'written' || !['streamed', 'streamed, with a trailer'].includes(name);
          expect(etag).toMatch(isKnown ? new RegExp(`^${MD5}$`) : /^[0-9a-f]{32}-0$/);
          expect(await key.find(undefined, call)).toMatchObject({
            etag,
            size: TEXT.length,
            ...(checksum && { checksum }),
          });
          expect(await key.text()).toBe(TEXT);
          await objects.amend(
            { bucket: key.bucket, key: 'k' },
            () => ({ tags: [{ key: 'a', value: 'b' }] }),
            testCall(),
          );
          expect((await key.find(versionId)).etag).toBe(etag);
        });
      }
    }
  });
}

it('a service that says the MD5 is asked nothing', async () => {
  for (const versioning of ['never', 'suspended'] as Versioning[]) {
    const key = await VersionedBucket.create();
    key.set(versioning);
    const call = testCall();
    await key.put(TEXT, {}, call);
    expect(call.facts.backendCalls).toBe(versioning === 'never' ? 1 : 2);
  }
});

it('the service cannot be asked: unknown, never "not done"', async () => {
  const store = withoutMd5('written');
  const manifest = await testManifest({ store });
  const asked = { head: 0 };
  store.head = async () => {
    asked.head += 1;
    throw new StoreError('denied', { call: 'head' });
  };
  const put = manifest.objects.put({ bucket: manifest.bucket, key: 'k' }, putOf(TEXT), testCall());
  await expect(put).rejects.toMatchObject({ kind: 'unavailable', lost: true, detail: { code: 'OutcomeUnknown' } });
  expect(asked.head).toBe(1);
});

/** Applies the first conditional write of `k`, lets `then` happen, and loses the answer. */
function losing(store: OpenStore, then: () => Promise<unknown>): void {
  const { write } = store;
  let lost = false;
  store.write = async (ref, body, request, call) => {
    const result = await write(ref, body, request, call);
    if (lost || ref.name !== 'k' || request.condition === undefined) return result;
    lost = true;
    await then();
    throw new StoreError('unavailable', { call: 'write', lost: true });
  };
}

describe("a write whose answer is lost, recognised in the ring of somebody else's object", () => {
  for (const versioning of ['never', 'suspended'] as Versioning[]) {
    it(`versioning ${versioning}: that object keeps its record, and its ETag is not told as ours`, async () => {
      const store: OpenStore = { ...plainStore(new MemoryBlobStore()) };
      const key = await VersionedBucket.create({ store });
      key.set(versioning);
      const { objects } = key.manifest;
      const put = (text: string, more: Partial<PutRequest>): Promise<Committed> =>
        objects.put({ bucket: key.bucket, key: 'k' }, putOf(text, more), testCall());
      const first = await put('first', {});
      let theirs: Committed | undefined;
      losing(store, async () => {
        const mine = await key.find();
        const attributes = { headers: { contentType: 'text/other' }, userMetadata: { of: 'other' } };
        theirs = await put('other', { attributes, conditions: { ifMatch: mine.etag } });
      });
      const body =
        versioning === 'never' ? { size: TEXT.length, stream: Readable.from([Buffer.from(TEXT)]) } : Buffer.from(TEXT);
      const mine = await put(TEXT, {
        body,
        conditions: { ifMatch: first.etag },
        facts: Promise.resolve({ checksum: CRC32 }),
      });
      expect(theirs).toBeDefined();
      const now = await key.find();
      expect(now).toMatchObject({
        etag: theirs?.etag,
        headers: { contentType: 'text/other' },
        userMetadata: { of: 'other' },
      });
      expect(now.checksum).toBeUndefined();
      expect(mine.etag).not.toBe(theirs?.etag);
      expect(mine.etag).toMatch(versioning === 'never' ? /^[0-9a-f]{32}-0$/ : new RegExp(`^${MD5}$`));
    });
  }
});

it('a write whose answer is lost, recognised in its own object: tags given to it meanwhile stay', async () => {
  const store: OpenStore = { ...plainStore(new MemoryBlobStore()) };
  const key = await VersionedBucket.create({ store });
  key.set('never');
  const { objects } = key.manifest;
  const first = await objects.put({ bucket: key.bucket, key: 'k' }, putOf('first'), testCall());
  losing(store, () =>
    objects.amend({ bucket: key.bucket, key: 'k' }, () => ({ tags: [{ key: 'a', value: 'b' }] }), testCall()),
  );
  const body = { size: TEXT.length, stream: Readable.from([Buffer.from(TEXT)]) };
  const request = putOf(TEXT, {
    body,
    conditions: { ifMatch: first.etag },
    facts: Promise.resolve({ checksum: CRC32 }),
  });
  const mine = await objects.put({ bucket: key.bucket, key: 'k' }, request, testCall());
  expect(await key.find()).toMatchObject({
    etag: mine.etag,
    tags: [{ key: 'a', value: 'b' }],
    checksum: { algorithm: 'CRC32' },
  });
});
