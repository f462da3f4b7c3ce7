import { describe, expect, test } from 'vitest';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import { type Head, viewOf } from '../../../../src/manifest/heads/head.ts';
import { SeenObjects } from '../../../../src/manifest/heads/seen-objects.ts';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import type { HeadRecord } from '../../../../src/manifest/records/record.ts';
import type { BlobProperties, Revision, StoreCapabilities } from '../../../../src/store/blob-store.ts';
import { testManifest } from '../../../support/manifest/manifest.ts';

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
  { what: 'an upload that is not settled', record: { ...INLINE, kind: 'mlink', version: VERSION, etag: 'e', size: 3 } },
  { what: 'an empty object', record: INLINE, properties: { size: 0 } },
  { what: 'an archived object', record: INLINE, properties: { archived: true } },
  { what: 'any, where conditions on sources are not heeded', record: INLINE, capabilities: { pinsSources: false } },
];

describe('objects that a process looked at', () => {
  const now = 1_700_000_000_000;

  test.each([...TAKEN.map((row) => ({ ...row, isTaken: true })), ...LEFT.map((row) => ({ ...row, isTaken: false }))])(
    '$what: $isTaken',
    async ({ record, properties, capabilities, isTaken }) => {
      const place = { bucket: await bucketOf(capabilities), key: 'k' };
      const seen = new SeenObjects(() => now);
      const plain = headOf(place.bucket, INLINE, { revision: '"before"' as Revision });
      // What is left out takes the place of what was known before.
      if (capabilities === undefined) seen.note(place, plain, viewOf(plain, place));
      const head = headOf(place.bucket, record, properties);
      const view = viewOf(head, place);
      seen.note(place, head, view);
      expect(seen.recall(place)).toBe(isTaken ? view : undefined);
      expect(seen.bytes > 0).toBe(isTaken);
    },
  );

  test('are known for half a minute after they were asked for last, by whichever clock', async () => {
    const place = { bucket: await bucketOf(), key: 'k' };
    let time = now;
    const seen = new SeenObjects(() => time);
    const head = headOf(place.bucket, INLINE);
    const note = (): void => seen.note(place, head, viewOf(head, place));
    note();
    for (const _ of [1, 2, 3]) {
      time += 20_000;
      expect(seen.recall(place)).toBeDefined();
    }
    time += 31_000;
    expect(seen.recall(place)).toBeUndefined();
    note();
    time -= 31_000;
    expect(seen.recall(place)).toBeUndefined();
  });

  test('are those of one bucket and key, until they are forgotten', async () => {
    const [bucket, other] = [await bucketOf(), await bucketOf()];
    const seen = new SeenObjects(() => now);
    const head = headOf(bucket, INLINE);
    seen.note({ bucket, key: 'k' }, head, viewOf(head, { bucket, key: 'k' }));
    expect(seen.recall({ bucket, key: 'l' })).toBeUndefined();
    expect(seen.recall({ bucket: { ...other, uid: 'another' }, key: 'k' })).toBeUndefined();
    seen.forget({ bucket, key: 'l' });
    expect(seen.recall({ bucket, key: 'k' })).toBeDefined();
    seen.forget({ bucket, key: 'k' });
    expect(seen.recall({ bucket, key: 'k' })).toBeUndefined();
    expect(seen.bytes).toBe(0);
  });

  test('the oldest go when there is no room', async () => {
    const bucket = await bucketOf();
    const seen = new SeenObjects(() => now, 10_000);
    const keys = Array.from({ length: 20 }, (_, number) => `k${number}`);
    for (const key of keys) {
      const head = headOf(bucket, INLINE);
      seen.note({ bucket, key }, head, viewOf(head, { bucket, key }));
      expect(seen.bytes).toBeLessThanOrEqual(10_000);
    }
    expect(seen.recall({ bucket, key: 'k0' })).toBeUndefined();
    expect(seen.recall({ bucket, key: 'k19' })).toBeDefined();
  });
});
