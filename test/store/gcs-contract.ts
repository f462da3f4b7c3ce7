import { beforeAll, describe, expect, test } from 'vitest';
import { type Define, definer } from './conformance/suite.ts';
import { batchTests } from './gcs-contract/batches.ts';
import { bucketTests } from './gcs-contract/buckets.ts';
import { changeTests } from './gcs-contract/changes.ts';
import { listingTests } from './gcs-contract/listings.ts';
import { nameTests } from './gcs-contract/names.ts';
import { preconditionTests } from './gcs-contract/preconditions.ts';
import { readTests } from './gcs-contract/reads.ts';
import { Subject } from './gcs-contract/subject.ts';
import { uploadTests } from './gcs-contract/uploads.ts';

const GROUPS: Readonly<Record<string, (subject: Subject, define: Define) => void>> = {
  buckets: bucketTests,
  uploads: uploadTests,
  preconditions: preconditionTests,
  reads: readTests,
  changes: changeTests,
  batches: batchTests,
  listings: listingTests,
  names: nameTests,
};

/**
 * What Cloud Storage promises, as tests on the wire, without the adapter. Our double and other people's servers run it
 * alike, so that the double is not judged only by the code that it serves.
 */
export function describeGcsContract(
  name: string,
  endpoint: () => string,
  deviations: Readonly<Record<string, string>> = {},
): void {
  const { define, unused } = definer(name, { deviations });
  describe(`Cloud Storage contract: ${name}`, () => {
    for (const [group, defineTests] of Object.entries(GROUPS)) {
      describe(group, () => {
        const subject = new Subject();
        beforeAll(() => subject.open(endpoint()));
        defineTests(subject, define);
      });
    }
    test('every deviation names a test', () => expect(unused()).toEqual([]));
  });
}
