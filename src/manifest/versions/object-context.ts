import type { Clock } from '../records/clock.ts';
import type { CommitLife } from '../heads/commit-life.ts';
import type { HeadMemory } from '../heads/head-memory.ts';
import type { NewKeys } from '../heads/new-keys.ts';
import type { Settler } from './settle.ts';

/** What the object functions share. */
export interface ObjectsContext {
  readonly clock: Clock;
  readonly settler: Settler;
  readonly commits: CommitLife;
  readonly memory: HeadMemory;
  readonly newKeys: NewKeys;
  /** How long after the first Enable of versioning a plain PUT that began before may still land, in milliseconds. */
  readonly versioningDrainMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}
