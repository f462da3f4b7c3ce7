import type { Clock } from '../records/clock.ts';
import type { CommitLife } from '../objects/commit-life.ts';
import type { Objects } from '../objects/objects.ts';
import type { Settler } from '../objects/settle.ts';

/** What the upload functions share. */
export interface UploadsContext {
  readonly clock: Clock;
  readonly settler: Settler;
  readonly commits: CommitLife;
  readonly objects: Objects;
  /** Bytes; `MIN_PART_SIZE` but for tests. */
  readonly minPartSize: number;
}
