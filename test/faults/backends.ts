import { startAzurite, startGcsDouble } from '../../adapters/doubles/index.ts';
import { createAzureStore } from '../../adapters/azure/index.ts';
import { createGcsStore } from '../../adapters/gcs/index.ts';
import type { BlobStore } from '../../src/store/blob-store.ts';
import type { Service } from '../support/backends/fault-proxy/fault.ts';
import { type FaultProxy, startFaultProxy } from '../support/backends/fault-proxy/fault-proxy.ts';

export const SERVICES: readonly Service[] = ['gcs', 'azure'];

/** A backend with a proxy in front. */
export interface FaultyBackend {
  readonly service: Service;
  readonly proxy: FaultProxy;
  /** A new store that sees the backend through the proxy; the caller closes it. */
  open(): BlobStore;
  stop(): Promise<void>;
}

/** Short pauses: what is tested is what happens after them. Milliseconds. */
const RETRIES = { baseDelay: 5, maxDelay: 50 };
const TIMEOUTS = { idle: 2000 };

const STARTERS: Readonly<Record<Service, () => Promise<FaultyBackend>>> = { gcs: startGcs, azure: startAzure };

/** The double of Cloud Storage, or Azurite. */
export function startFaultyBackend(service: Service): Promise<FaultyBackend> {
  return STARTERS[service]();
}

async function startGcs(): Promise<FaultyBackend> {
  const double = await startGcsDouble();
  const proxy = await startFaultProxy({ service: 'gcs', endpoint: double.endpoint });
  const stop = async (): Promise<void> => {
    await proxy.stop();
    await double.stop();
  };
  const open = (): BlobStore =>
    createGcsStore({
      endpoint: proxy.endpoint,
      credential: { kind: 'anonymous' },
      pinsSources: true,
      retries: RETRIES,
      timeouts: TIMEOUTS,
    });
  return { service: 'gcs', proxy, open, stop };
}

async function startAzure(): Promise<FaultyBackend> {
  const azurite = await startAzurite({ customerKeys: true });
  const { endpoint, credential } = azurite.storeOptions;
  if (endpoint === undefined || credential.kind !== 'accountKey') {
    throw new Error('the emulator has an endpoint and a key');
  }
  const proxy = await startFaultProxy({ service: 'azure', endpoint, accountKey: credential.key });
  const stop = async (): Promise<void> => {
    await proxy.stop();
    await azurite.stop();
  };
  const open = (): BlobStore =>
    createAzureStore({ endpoint: proxy.endpoint, credential, retries: RETRIES, timeouts: TIMEOUTS });
  return { service: 'azure', proxy, open, stop };
}
