import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BlobStore } from '../../src/store/blob-store.ts';
import { conditionTests } from './conformance/conditions.ts';
import { containerTests } from './conformance/containers.ts';
import { copyTests } from './conformance/copies.ts';
import { encryptedTests } from './conformance/encrypted.ts';
import { listTests } from './conformance/lists.ts';
import { partTests } from './conformance/parts.ts';
import { readTests } from './conformance/reads.ts';
import { removeTests } from './conformance/removals.ts';
import { stagingTests } from './conformance/stagings.ts';
import { type ConformanceOptions, type Define, definer, Subject } from './conformance/suite.ts';
import { tierTests } from './conformance/tiers.ts';
import { writeTests } from './conformance/writes.ts';

export type { ConformanceOptions } from './conformance/suite.ts';

const GROUPS: Readonly<Record<string, (subject: Subject, define: Define) => void>> = {
  containers: containerTests,
  reads: readTests,
  writes: writeTests,
  conditions: conditionTests,
  removals: removeTests,
  listings: listTests,
  'staged parts': partTests,
  'assembled blobs': stagingTests,
  copies: copyTests,
  'encrypted blobs': encryptedTests,
  tiers: tierTests,
};

/**
 * The contract of `BlobStore` as tests; every adapter runs it.
 *
 * @param factory opens a store; called once per group, the store is closed afterwards. The
 *   backend may be shared: all containers have random names and are removed.
 */
export function describeBlobStore(
  name: string,
  factory: () => Promise<BlobStore>,
  options: ConformanceOptions = {},
): void {
  const { define, unused } = definer(name, options);
  describe(`BlobStore contract: ${name}`, () => {
    for (const [group, defineTests] of Object.entries(GROUPS)) {
      if (options.groups?.includes(group) === false) continue;
      describe(group, () => {
        const subject = new Subject(options);
        beforeAll(async () => subject.open(await factory()));
        afterAll(() => subject.close());
        defineTests(subject, define);
      });
    }
    test('every deviation names a test', () => expect(unused()).toEqual([]));
  });
}
