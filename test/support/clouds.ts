import type { AzuriteOptions } from '../../adapters/azure/azurite-process.ts';
import { createAzureStore, startAzurite } from '../../adapters/azure/index.ts';
import { createGcsStore, startGcsDouble } from '../../adapters/gcs/index.ts';
import type { BlobStore } from '../../src/store/blob-store.ts';

/** What stands in for a cloud, ready to be used. */
export interface Cloud {
  /** A new store over it, which the caller closes. */
  open(): BlobStore;
  stop(): Promise<void>;
}

/** `customerKeys`: Azurite knows none by itself. */
type CloudOptions = Pick<AzuriteOptions, 'customerKeys'>;

/** Each by the name that tests are told under. */
export const CLOUDS: Readonly<Record<string, (options: CloudOptions) => Promise<Cloud>>> = {
  Azurite: startAzure,
  'the double of Cloud Storage': startGcs,
};

/** @param name one of `CLOUDS` */
export function startCloud(name: string, options: CloudOptions = {}): Promise<Cloud> {
  const start = CLOUDS[name];
  if (start === undefined) throw new Error(`no cloud is called ${name}`);
  return start(options);
}

async function startAzure(options: CloudOptions): Promise<Cloud> {
  const azurite = await startAzurite(options);
  return { open: () => createAzureStore(azurite.storeOptions), stop: () => azurite.stop() };
}

async function startGcs(): Promise<Cloud> {
  const double = await startGcsDouble();
  return {
    open: () => createGcsStore({ endpoint: double.endpoint, credential: { kind: 'anonymous' } }),
    stop: () => double.stop(),
  };
}
