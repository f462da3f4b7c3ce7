import type { BackendPlace } from '../../config/backend-places.ts';
import type { Config } from '../../config/schema.ts';
import type { AzureBackendConfig, GcsBackendConfig } from '../../config/schema-backends.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { SurveyedStore } from '../store/survey.ts';
import { defined } from '../observe/defined.ts';
import { type SecretSources, readTextFile } from './secrets.ts';
import { StartError, firstLine } from './start-error.ts';

export interface OpenStore {
  readonly store: BlobStore;
  /** The same store, where it can tell of its service. */
  readonly surveyed?: SurveyedStore;
  readonly endpoint: string;
  /** Where its containers lie; absent: nowhere that another backend could be. */
  readonly place?: BackendPlace | undefined;
  /** Ends what was started for the store, after the store itself is closed. */
  readonly stop?: () => Promise<void>;
}

/** What opening a backend may look at besides its own settings. */
export interface Surroundings {
  readonly config: Config;
  readonly sources: SecretSources;
}

type Connection = Pick<
  AzureBackendConfig | GcsBackendConfig,
  'maxConnections' | 'maxTransfers' | 'timeouts' | 'retries'
>;

/** How to reach a cloud: what the backend says of it, and what holds for all of them. @throws StartError */
export function connectionOptions(
  { maxConnections, maxTransfers, timeouts, retries }: Connection,
  { config, sources }: Surroundings,
) {
  const { proxy, caFile } = config.outbound;
  return {
    maxConnections,
    maxTransfers,
    timeouts: timeouts && defined(timeouts),
    retries: retries && defined(retries),
    proxy,
    ca: caFile === undefined ? undefined : readTextFile(caFile, 'outbound.caFile', sources),
  };
}

/**
 * Reports an adapter's objections to its options, with the backend's path in the configuration.
 * @throws StartError
 */
export function atPlace<Store extends BlobStore>(where: string, create: () => Store): Store {
  try {
    return create();
  } catch (error) {
    throw new StartError([`${where}: ${firstLine(error)}`], error);
  }
}
