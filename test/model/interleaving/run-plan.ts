import type { BlobStore } from '../../../src/store/blob-store.ts';
import type { Operation } from './operation.ts';
import type { Snapshot } from './world.ts';

export interface ClientPlan {
  /** Milliseconds its clock is ahead. */
  readonly skew: number;
  readonly operations: readonly Operation[];
}

export interface RunPlan {
  readonly start: Snapshot;
  readonly clients: readonly ClientPlan[];
  /** Settling and tidying up run as in a real gateway. */
  readonly background?: boolean;
  /** First letter of the clients' names. */
  readonly names?: string;
  readonly versionedSince?: number;
  /** Unconditional writes from before the first Enable may land: then what was not acknowledged may be lost. */
  readonly lax?: boolean;
  /** Something in front of the store that spoils it: shows that the judges notice. */
  readonly spoil?: (store: BlobStore) => BlobStore;
}
