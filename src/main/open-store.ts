import type { AzureClient } from '../../adapters/azure/index.ts';
import type { GcsClient } from '../../adapters/gcs/index.ts';
import type { BackendPlace } from '../../config/backend-places.ts';
import type { Config } from '../../config/schema.ts';
import type { AzureBackendConfig, GcsBackendConfig } from '../../config/schema-backends.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { SurveyedStore } from '../store/survey.ts';
import { defined } from '../observe/defined.ts';
import { type SecretSources, readTextFile } from './secrets.ts';
import { StartError, firstLine } from './start-error.ts';

/** The REST client below a store: `prove` asks the service for its own answers. */
export type CloudClient =
  | { readonly kind: 'azure'; readonly azure: AzureClient }
  | { readonly kind: 'gcs'; readonly gcs: GcsClient };

export interface OpenStore {
  readonly store: BlobStore;
  /** Absent: no service is behind it. */
  readonly client?: CloudClient;
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
export function atPlace<T>(where: string, create: () => T): T {
  try {
    return create();
  } catch (error) {
    throw new StartError([`${where}: ${firstLine(error)}`], error);
  }
}
