import { resolve } from 'node:path';
import { azureStore, createAzureClient, expandConnectionString } from '../../adapters/azure/index.ts';
import { FolderHeldError, startAzurite } from '../../adapters/doubles/index.ts';
import type { AzureStoreOptions } from '../../adapters/azure/index.ts';
import { MemoryBlobStore } from '../../adapters/memory/memory-blob-store.ts';
import { azurePlace, type BackendPlace, overlapMessage, overlapping } from '../../config/backend-places.ts';
import type { AzureBackendConfig, BackendConfig } from '../../config/schema-backends.ts';
import type { Config } from '../../config/schema.ts';
import type { AccountDirectory } from '../access/accounts.ts';
import { type Backend, KeyQueue, type StorageClasses, tieredStore } from '../manifest/index.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { SurveyedStore } from '../store/survey.ts';
import { defined } from '../observe/defined.ts';
import { noteHeads } from '../store/note-heads.ts';
import { containersBehind, placedStore, placeIds, type ContainerParts } from '../store/placed-store.ts';
import { partsOfContainers } from './bucket-rules.ts';
import { azureCredential } from './cloud-credentials.ts';
import { openGcs, openGcsDouble } from './gcs-backend.ts';
import { type CloudClient, type OpenStore, type Surroundings, atPlace, connectionOptions } from './open-store.ts';
import type { SecretSources } from './secrets.ts';
import { StartError } from './start-error.ts';
import { storageClassesOf } from './storage-classes.ts';

/** A backend and what must be ended with it. */
export interface OpenBackend extends Backend {
  /** Where the service is, for people. */
  readonly endpoint: string;
  /** The store again, where it can tell of its service. */
  readonly surveyed: SurveyedStore | undefined;
  /** The service itself, where there is one. */
  readonly client?: CloudClient | undefined;
  close(): Promise<void>;
}

/** @param store the one that knows no places */
function placesIn(store: BlobStore, places: ContainerParts): Pick<Backend, 'places' | 'behindPlaces'> {
  if (places.size === 0) return {};
  return { places: placeIds(places), behindPlaces: (call) => containersBehind(store, places, call) };
}

/** The store as the manifest has it, which sends the tiers of storage classes. */
function keptIn(classes: StorageClasses | undefined, store: BlobStore): Pick<Backend, 'store' | 'classes'> {
  return classes === undefined ? { store } : { store: tieredStore(store, classes), classes };
}

function kmsKeysOf(backend: BackendConfig): Pick<Backend, 'kmsKeys'> {
  const { kmsKeys }: { kmsKeys?: Readonly<Record<string, string>> | undefined } = 'kmsKeys' in backend ? backend : {};
  return kmsKeys === undefined ? {} : { kmsKeys: new Map(Object.entries(kmsKeys)) };
}

/** Opens all backends of a configuration; when one fails, those opened before are closed. @throws StartError */
export async function openBackends(
  config: Config,
  accounts: AccountDirectory,
  sources: SecretSources,
): Promise<OpenBackend[]> {
  const open: OpenBackend[] = [];
  const taken = new Map<string, BackendPlace>();
  try {
    for (const [name, backend] of Object.entries(config.backends)) {
      const owner = accounts.byName(backend.owner);
      if (owner === undefined) throw new StartError([`backends.${name}.owner: there is no account ${backend.owner}`]);
      const opened = await openStore(backend, `backends.${name}`, { config, sources });
      const { store, client, endpoint, surveyed, place, stop } = opened;
      const close = async (): Promise<void> => {
        await store.close();
        await stop?.();
      };
      const { systemContainer } = backend;
      const own = { ownerId: owner.canonicalId, queue: queueOf(backend), ...kmsKeysOf(backend) };
      const rest = { endpoint, client, surveyed, systemContainer, ...own, close };
      const places = partsOfContainers(name, Object.keys(config.backends), config.buckets);
      open.push({
        name,
        ...keptIn(storageClassesOf(config, backend, store), noteHeads(placedStore(store, places), systemContainer)),
        ...placesIn(store, places),
        ...rest,
      });
      if (place === undefined) continue;
      const other = overlapping(place, taken);
      if (other !== undefined) throw new StartError([`backends.${name}: ${overlapMessage(other)}`]);
      taken.set(name, place);
    }
    return open;
  } catch (error) {
    await Promise.all(open.map((backend) => backend.close()));
    throw error;
  }
}

/** Its patience is one with that for names which the service throttles. */
function queueOf(backend: BackendConfig): KeyQueue {
  const wait = backend.kind === 'gcs' ? backend.retries?.nameWait : undefined;
  return new KeyQueue(defined({ wait }));
}

async function openStore(backend: BackendConfig, where: string, around: Surroundings): Promise<OpenStore> {
  switch (backend.kind) {
    case 'memory':
      return { store: new MemoryBlobStore(), endpoint: 'memory' };
    case 'azurite':
      return openAzurite(
        backend.folder === undefined ? undefined : resolve(around.sources.folder, backend.folder),
        where,
      );
    case 'azure':
      return openAzure(backend, where, around);
    case 'gcs':
      return openGcs(backend, where, around);
    case 'gcs-double':
      return openGcsDouble();
    default:
      return backend satisfies never;
  }
}

const STOP_THE_OTHER =
  'Stop that process first, also for commands like sweep and prove. To run them beside a gateway, start Azurite by itself, and let the configuration of both reach it by a backend of the kind azure.';

async function openAzurite(folder: string | undefined, where: string): Promise<OpenStore> {
  try {
    const azurite = await startAzurite(folder === undefined ? {} : { folder });
    const azure = createAzureClient(azurite.storeOptions);
    const store = azureStore(azure);
    const { endpoint } = azurite;
    return { store, client: { kind: 'azure', azure }, surveyed: store, endpoint, stop: () => azurite.stop() };
  } catch (error) {
    if (error instanceof FolderHeldError) throw new StartError([`${where}: ${error.message}`, STOP_THE_OTHER], error);
    const missing = (error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND';
    const reason = missing ? 'Azurite is not installed: run "npm ci" without --omit=dev' : lastComplaint(error);
    throw new StartError([`${where}: ${reason}`], error);
  }
}

function openAzure(backend: AzureBackendConfig, where: string, surroundings: Surroundings): OpenStore {
  const { endpoint, account, endpointSuffix } = backend;
  const options: AzureStoreOptions = defined({
    ...connectionOptions(backend, surroundings),
    credential: azureCredential(backend.credential, `${where}.credential`, surroundings.sources),
    endpoint,
    account,
    endpointSuffix,
  });
  const azure = atPlace(where, () => createAzureClient(options));
  const store = azureStore(azure);
  const known = expandConnectionString(options);
  return {
    store,
    client: { kind: 'azure', azure },
    surveyed: store,
    endpoint: endpoint ?? account ?? 'azure',
    place: azurePlace(known.endpoint, known.account, known.endpointSuffix),
  };
}

/** What a child process printed before it ended says the reason last, behind its greetings. */
function lastComplaint(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error)).split('\n');
  return `Azurite does not start: ${lines.findLast((line) => /error/i.test(line)) ?? lines[0] ?? ''}`;
}
