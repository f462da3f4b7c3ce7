import { type AzuriteOptions, startAzurite, startGcsDouble } from '../../../adapters/doubles/index.ts';
import { createAzureStore } from '../../../adapters/azure/index.ts';
import { createGcsStore } from '../../../adapters/gcs/index.ts';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { plainStore } from '../../../src/store/wrap-store.ts';

/** What stands in for a cloud, ready to be used. */
export interface Cloud {
  /** A new store over it, which the caller closes. */
  open(): BlobStore;
  stop(): Promise<void>;
}

/** `customerKeys`: Azurite knows none by itself; `tiers`: nor does it keep tiers as the service does. */
type CloudOptions = Pick<AzuriteOptions, 'customerKeys' | 'tiers'>;

/** Each by the name that tests are told under. `BACKENDS` has memory, too. */
export const CLOUDS: Readonly<Record<string, (options: CloudOptions) => Promise<Cloud>>> = {
  Azurite: startAzure,
  'the double of Cloud Storage': startGcs,
};

export const BACKENDS: readonly string[] = ['memory', ...Object.keys(CLOUDS)];

/** @param name one of `BACKENDS` */
export function startCloud(name: string, options: CloudOptions = {}): Promise<Cloud> {
  if (name === 'memory') return Promise.resolve(startMemory());
  const start = CLOUDS[name];
  if (start === undefined) throw new Error(`no cloud is called ${name}`);
  return start(options);
}

/** Outlives the gateways that close it, as a cloud does. */
function startMemory(): Cloud {
  const memory = new MemoryBlobStore();
  const open = (): BlobStore => ({ ...plainStore(memory), close: () => Promise.resolve() });
  return { open, stop: () => memory.close() };
}

async function startAzure(options: CloudOptions): Promise<Cloud> {
  const azurite = await startAzurite(options);
  return { open: () => createAzureStore(azurite.storeOptions), stop: () => azurite.stop() };
}

async function startGcs(): Promise<Cloud> {
  const double = await startGcsDouble();
  return {
    open: () => createGcsStore({ endpoint: double.endpoint, credential: { kind: 'anonymous' }, pinsSources: true }),
    stop: () => double.stop(),
  };
}
