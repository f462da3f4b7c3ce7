import type { World } from '../spec/world.ts';

/** Where a row was seen: what S3 itself answered to somebody's test. */
export const RECORDED = 'recorded on S3, February 2026';

/** One request, or a few, and what S3 itself answers. */
export interface RecordedRow {
  readonly what: string;
  /** In plain words: a recording, a report, a page of AWS. */
  readonly source: string;
  /** @param bucket new, and the owner's. @returns what is held against `expected` */
  readonly ask: (world: World, bucket: string) => Promise<unknown>;
  readonly expected: unknown;
}
