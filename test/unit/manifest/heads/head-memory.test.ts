import { describe, expect, test } from 'vitest';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import { HeadMemory, headToChange } from '../../../../src/manifest/heads/head-memory.ts';
import type { Head, RememberedHead } from '../../../../src/manifest/heads/head.ts';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import type { HeadRecord } from '../../../../src/manifest/records/record.ts';
import type { BlobProperties, Revision, StoreCapabilities } from '../../../../src/store/blob-store.ts';
import { testManifest } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';

async function bucketOf(capabilities: Partial<StoreCapabilities> = {}): Promise<Bucket> {
  return (await testManifest({ store: new MemoryBlobStore({ capabilities }) })).bucket;
}

const INLINE = { kind: 'inline', seq: 1_700_000_000_000_000, nonce: 'n' } as const;
const VERSION = '0006000000000000-abcdef' as never;

function headOf({ home }: Bucket, record: HeadRecord | undefined, properties: Partial<BlobProperties> = {}): Head {
  const revision = '"one"' as Revision;
  return {
    ref: { container: home.container, name: 'k' },
    properties: { size: 3, revision, lastModified: 1_700_000_000_000, metadata: {}, ...properties },
    record,
    userMetadata: {},
  };
}

interface Row {
  readonly what: string;
  readonly record: HeadRecord | undefined;
  readonly properties?: Partial<BlobProperties>;
  readonly capabilities?: Partial<StoreCapabilities>;
}

const TAKEN: readonly Row[] = [
  { what: 'an object with its record', record: INLINE },
  { what: 'a blob of a native tool', record: undefined },
];

const LEFT: readonly Row[] = [
  { what: 'an object whose record has spilled', record: { ...INLINE, overflow: 'a'.repeat(64) } },
  {
    what: 'an encrypted object',
    record: { ...INLINE, encryption: { by: { kind: 'kms', key: 'x' }, size: 3 } as never },
  },
  {
    what: 'an upload that is not settled',
    record: { ...INLINE, kind: 'assembled', version: VERSION, etag: 'e', size: 3 },
  },
  { what: 'an empty object', record: INLINE, properties: { size: 0 } },
  { what: 'an archived object', record: INLINE, properties: { archived: true } },
  { what: 'any, where conditions on sources are not heeded', record: INLINE, capabilities: { pinsSources: false } },
];

const LINK = { ...INLINE, kind: 'link', version: VERSION, etag: 'e', size: 3 } as const;

const now = 1_700_000_000_000;

function memoryAt(clock: () => number = () => now, maxBytes?: number): HeadMemory {
  const never = (): void => {
    throw new Error('nothing is to be listed');
  };
  return new HeadMemory(clock, never, maxBytes);
}

describe('objects that a process looked at', () => {
  test.each([...TAKEN.map((row) => ({ ...row, isTaken: true })), ...LEFT.map((row) => ({ ...row, isTaken: false }))])(
    '$what: $isTaken',
    async ({ record, properties, capabilities, isTaken }) => {
      const place = { bucket: await bucketOf(capabilities), key: 'k' };
      const memory = memoryAt();
      const plain = headOf(place.bucket, INLINE, { revision: '"before"' as Revision });
      // What is left out takes the place of what was known before.
      if (capabilities === undefined) memory.note(place, plain);
      const head = headOf(place.bucket, record, properties);
      memory.note(place, head);
      expect(memory.recent(place)).toEqual(isTaken ? { head, trust: 'remembered' } : undefined);
      expect(memory.bytes > 0).toBe(isTaken);
    },
  );

  test('are known for half a minute after they were asked for last, by whichever clock', async () => {
    const place = { bucket: await bucketOf(), key: 'k' };
    let time = now;
    const memory = memoryAt(() => time);
    const head = headOf(place.bucket, INLINE);
    memory.note(place, head);
    for (const _ of [1, 2, 3]) {
      time += 20_000;
      expect(memory.recent(place)).toBeDefined();
    }
    time += 31_000;
    expect(memory.recent(place)).toBeUndefined();
    memory.note(place, head);
    time -= 31_000;
    expect(memory.recent(place)).toBeUndefined();
  });

  test('are those of one bucket and key, until they are forgotten', async () => {
    const [bucket, other] = [await bucketOf(), await bucketOf()];
    const memory = memoryAt();
    memory.note({ bucket, key: 'k' }, headOf(bucket, INLINE));
    expect(memory.recent({ bucket, key: 'l' })).toBeUndefined();
    expect(memory.recent({ bucket: { ...other, uid: 'another' }, key: 'k' })).toBeUndefined();
    memory.forget({ bucket, key: 'l' });
    expect(memory.recent({ bucket, key: 'k' })).toBeDefined();
    memory.forget({ bucket, key: 'k' });
    expect(memory.recent({ bucket, key: 'k' })).toBeUndefined();
    expect(memory.bytes).toBe(0);
  });

  test('the oldest go when there is no room', async () => {
    const bucket = await bucketOf();
    const memory = memoryAt(() => now, 10_000);
    const keys = Array.from({ length: 20 }, (_, number) => `k${number}`);
    for (const key of keys) {
      memory.note({ bucket, key }, headOf(bucket, INLINE));
      expect(memory.bytes).toBeLessThanOrEqual(10_000);
    }
    expect(memory.bytes).toBeGreaterThan(5000);
    expect(memory.recent({ bucket, key: 'k0' })).toBeUndefined();
    expect(memory.recent({ bucket, key: 'k19' })).toBeDefined();
  });
});

describe('heads that name versions', () => {
  test('stay when the key is changed, and go when nothing is there', async () => {
    const place = { bucket: { ...(await bucketOf()), versioning: 'enabled' } as const, key: 'k' };
    const memory = memoryAt();
    const head = headOf(place.bucket, LINK);
    memory.note(place, head);
    memory.forget(place);
    expect(memory.recent(place)).toEqual({ head, trust: 'remembered' });
    memory.note(place, undefined);
    expect(memory.recent(place)).toBeUndefined();
  });

  test('are not remembered of a bucket that has no versions, as far as is known', async () => {
    const place = { bucket: await bucketOf(), key: 'k' };
    const memory = memoryAt();
    memory.note(place, headOf(place.bucket, LINK));
    expect(memory.recent(place)).toBeUndefined();
  });
});

describe('the head that a change begins with', () => {
  const call = testCall();

  test.each([
    ['without a condition: remembered', {}, 'remembered'],
    ['under a condition: read', { ifMatch: '*' }, 'read'],
    ['under the condition that nothing is there: read', { ifNoneMatch: '*' }, 'read'],
  ])('%s', async (_, conditions, trust) => {
    const place = { bucket: await bucketOf(), key: 'k' };
    const head = headOf(place.bucket, INLINE);
    const recall = (): RememberedHead => ({ head, trust: 'remembered' });
    const known = await headToChange({ ...place, conditions, recall }, call);
    expect(known).toEqual(trust === 'read' ? { head: undefined, trust } : { head, trust });
  });

  test.each(['read', 'listed'] as const)('%s by the request: under any condition', async (trust) => {
    const place = { bucket: await bucketOf(), key: 'k' };
    const known = { head: headOf(place.bucket, INLINE), trust };
    const recall = (): never => {
      throw new Error('asked');
    };
    for (const conditions of [{}, { ifMatch: '*' }]) {
      expect(await headToChange({ ...place, conditions, known, recall }, call)).toBe(known);
    }
  });
});
