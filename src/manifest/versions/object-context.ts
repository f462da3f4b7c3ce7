import type { Clock } from '../records/clock.ts';
import type { CommitLife } from '../heads/commit-life.ts';
import type { HeadsAhead } from '../heads/heads-ahead.ts';
import type { SeenObjects } from '../heads/seen-objects.ts';
import type { LinkHints } from './link-hints.ts';
import type { Settler } from './settle.ts';

/** What the object functions share. */
export interface ObjectsContext {
  readonly clock: Clock;
  readonly settler: Settler;
  readonly commits: CommitLife;
  readonly hints: LinkHints;
  /** For removals. */
  readonly ahead: HeadsAhead;
  /** For copies: who moves keys asks for each of them twice. */
  readonly sourcesAhead: HeadsAhead;
  readonly seen: SeenObjects;
  /** How long after the first Enable of versioning a plain PUT that began before may still land, in milliseconds. */
  readonly versioningDrainMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}
