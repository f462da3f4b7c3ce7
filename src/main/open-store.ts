import type { Config } from '../../config/schema.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { SecretSources } from './secrets.ts';

export interface OpenStore {
  readonly store: BlobStore;
  readonly endpoint: string;
  /** Ends what was started for the store, after the store itself is closed. */
  readonly stop?: () => Promise<void>;
}

/** What opening a backend may look at besides its own settings. */
export interface Surroundings {
  readonly config: Config;
  readonly sources: SecretSources;
}
