import type { TrialResult } from '../../../src/main/prove/trial.ts';

/** What trials found to be different, in their order. */
export function differences(results: readonly TrialResult[]): string[] {
  return results.filter(({ verdict }) => verdict === 'different').map(({ id, seen }) => `${id}: ${seen}`);
}

/** What Azurite does otherwise than Azure. */
export const AZURITE_DIFFERENCES: readonly string[] = [
  'A2: 201',
  'A33: 404 BlobNotFound, 409 BlobAlreadyExists',
  'A33: 201',
  'A34: not repeated',
  'A35: 201',
  'A36: 201',
  'A39: none',
  'A25: of these bytes',
  'A22: it does not',
  'A20: 412 ConditionNotMet',
];
