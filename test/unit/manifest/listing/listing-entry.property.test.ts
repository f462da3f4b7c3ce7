import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import { isLive, parseListedHead, viewOf } from '../../../../src/manifest/heads/head.ts';
import { listedObject, objectEntry } from '../../../../src/manifest/listing/listing-entry.ts';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import { type LooseRecord, RECORD_NAME, encodeRecord } from '../../../../src/manifest/records/record.ts';
import type { VersionToken } from '../../../../src/manifest/records/version-token.ts';
import { newToken } from '../../../../src/manifest/records/version-token.ts';
import type { BlobEntry, Revision } from '../../../../src/store/blob-store.ts';
import '../../../support/property-seed.ts';

const home = { container: 'photos', system: 'system', store: new MemoryBlobStore() };
const bucket = { name: 'photos', ownerId: 'o'.repeat(64), home } as unknown as Bucket;
const TOKEN: VersionToken = newToken(1_700_000_000_000_000);
const perhaps = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

const records = fc
  .record({
    kind: fc.constantFrom('inline', 'link', 'assembled', 'marker', 'void'),
    seq: fc.integer({ min: 1, max: 2 ** 52 }),
    mtime: perhaps(fc.integer({ min: 0, max: 2 ** 42 })),
    etag: perhaps(fc.constantFrom('abc', 'abc-2')),
    size: perhaps(fc.nat()),
    version: perhaps(fc.constant(TOKEN)),
    owner: perhaps(fc.constant('p'.repeat(64))),
    storageClass: perhaps(fc.constant('STANDARD_IA')),
    checksum: perhaps(fc.constant({ algorithm: 'CRC32', value: 'AAAAAA==', type: 'FULL_OBJECT' } as const)),
    isNull: perhaps(fc.constant(true as const)),
    encryption: perhaps(fc.constant({ size: 7, token: '0'.repeat(32), by: { kind: 'kms', name: 'k' } } as const)),
    userMetadata: perhaps(fc.constant({ Odd: 'x' })),
  })
  .map((record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)));

const entries: fc.Arbitrary<BlobEntry> = fc
  .record({
    text: fc.oneof(
      fc.constant(undefined),
      fc.constantFrom('{}', 'no record', '{"v":99,"s":1}', '{"v":1,"s":1,"k":"l"}'),
      records.map((record) => encodeRecord(record as unknown as LooseRecord)),
    ),
    md5: perhaps(fc.constant('0123456789abcdef0123456789abcdef')),
    archived: perhaps(fc.boolean()),
    size: fc.nat(),
    lastModified: fc.integer({ min: 0, max: 2 ** 42 }),
  })
  .map(({ text, md5, archived, ...blob }) => ({
    kind: 'blob',
    name: 'k',
    revision: '"0x1"' as Revision,
    metadata: { plain: 'value', ...(text !== undefined && { [RECORD_NAME]: text }) },
    ...(md5 !== undefined && { md5 }),
    ...(archived !== undefined && { archived }),
    ...blob,
  }));

/** The long way round: the view that GET and HEAD have of it. */
function fromView(entry: BlobEntry): ReturnType<typeof listedObject> {
  const head = parseListedHead({ container: 'photos', name: entry.name }, entry);
  return isLive(head) ? objectEntry(viewOf(head, { bucket, key: 'k' })) : undefined;
}

test('a listing shows of an object what its view says', () => {
  let live = 0;
  fc.assert(
    fc.property(entries, (entry) => {
      const listed = listedObject({ bucket, key: 'k' }, entry);
      if (listed !== undefined) live += 1;
      expect(listed).toEqual(fromView(entry));
    }),
    { numRuns: 2000 },
  );
  expect(live).toBeGreaterThan(500);
});
