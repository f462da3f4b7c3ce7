import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ListedEntry } from '../../../../src/manifest/listing/listing.ts';
import { contentsTexts, objectValues } from '../../../../src/operations/bucket/list-values.ts';
import type { Restore } from '../../../../src/manifest/records/restore.ts';
import type { ListParameters } from '../../../../src/operations/bucket/list-parameters.ts';
import { type XmlValue, xml } from '../../../../src/protocol/xml/document.ts';
import { encodeXml } from '../../../../src/protocol/xml/encode.ts';
import { LIST_OBJECTS_V2_RESULT } from '../../../../src/protocol/xml/list-shapes.ts';
import { encodeForListing } from '../../../../src/protocol/percent.ts';
import '../../../support/property-seed.ts';

const OWNERS: Readonly<Record<string, XmlValue>> = {
  a: { ID: 'a', DisplayName: 'A & co' },
  b: { ID: 'b', DisplayName: undefined },
  c: { ID: undefined },
};
const entries: fc.Arbitrary<ListedEntry> = fc.oneof(
  fc.record({ kind: fc.constant('prefix' as const), key: fc.string() }),
  fc.record(
    {
      kind: fc.constant('object' as const),
      key: fc.string({ unit: 'grapheme' }),
      etag: fc.oneof(fc.constantFrom('d41d8cd98f00b204e9800998ecf8427e', 'a-2'), fc.string()),
      size: fc.nat(),
      mtime: fc.integer({ min: 0, max: 2 ** 42 }),
      ownerId: fc.constantFrom('a', 'b', 'c'),
      storageClass: fc.constantFrom('STANDARD_IA', '', '<x>'),
      checksum: fc.constant({ algorithm: 'CRC32', value: 'AAAAAA==', type: 'FULL_OBJECT' } as const),
      archived: fc.boolean(),
      restore: fc.constantFrom<Restore>(
        { tier: 'Bulk', days: 1, requestedAt: Date.now() },
        { tier: 'Standard', days: 1, requestedAt: 0, until: 4e12 },
        { tier: 'Standard', days: 1, requestedAt: 0, until: 1 },
      ),
    },
    { requiredKeys: ['kind', 'key', 'etag', 'size', 'mtime', 'ownerId', 'archived'] },
  ),
);

test('objects are written by hand as the general encoder writes them', () => {
  fc.assert(
    fc.property(
      fc.array(entries, { maxLength: 60, size: 'max' }),
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      (list, isEncoded, hasOwners, hasStatus) => {
        const encode = isEncoded ? encodeForListing : (text: string): string => text;
        const ownerOf = hasOwners ? (id: string): XmlValue => OWNERS[id] : undefined;
        const parameters = { encode, restoreStatus: hasStatus } as ListParameters;
        const values = list.flatMap((entry) =>
          entry.kind === 'object' ? [objectValues(entry, parameters, ownerOf)] : [],
        );
        const texts = contentsTexts(list, parameters, ownerOf);
        const documentOf = (Contents: XmlValue): string =>
          encodeXml(xml(LIST_OBJECTS_V2_RESULT, { Name: 'b', Contents, KeyCount: 1 })).toString();
        expect(documentOf(texts)).toBe(documentOf(values));
      },
    ),
    { numRuns: 250 },
  );
});
