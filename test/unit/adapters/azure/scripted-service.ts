import { createAzureStore } from '../../../../adapters/azure/store.ts';
import type { AzureStoreOptions } from '../../../../adapters/azure/index.ts';
import { createTransport } from '../../../../adapters/shared/wire/fair-transport.ts';
import { UndiciTransport } from '../../../../adapters/shared/wire/undici-transport.ts';
import type { BlobStore } from '../../../../src/store/blob-store.ts';
import { answer, listen } from '../scripted-peer.ts';
import type { ScriptedPeer, Turn } from '../scripted-peer.ts';

export { answer, failure, reset, silence } from '../scripted-peer.ts';
export type { Turn } from '../scripted-peer.ts';

/** The ways to the network that stores use: the usual one, and the one that also knows proxies, for all requests. */
export const WIRES = {
  usual: createTransport,
  undici: (options: ConstructorParameters<typeof UndiciTransport>[0]) => new UndiciTransport(options),
};
export type Wire = keyof typeof WIRES;

export interface Service extends ScriptedPeer {
  readonly store: BlobStore;
  stop(): Promise<void>;
}

/** A store over a scripted peer. */
export async function serve(
  wire: Wire,
  turns: readonly Turn[],
  options: Partial<AzureStoreOptions> = {},
): Promise<Service> {
  const peer = await listen(turns);
  const storeOptions: AzureStoreOptions = {
    endpoint: `${peer.origin}/account`,
    credential: { kind: 'accountKey', key: Buffer.alloc(32, 7).toString('base64') },
    retries: { baseDelay: 1, maxDelay: 5 },
    ...options,
  };
  const store = createAzureStore(storeOptions, WIRES[wire]);
  const stop = async (): Promise<void> => {
    await store.close();
    peer.stop();
  };
  return { ...peer, store, stop };
}

export const busy = answer('503 Server Busy', 'x-ms-error-code: ServerBusy\r\n');
