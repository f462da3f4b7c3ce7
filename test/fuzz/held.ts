import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { BlobStore } from '../../src/store/blob-store.ts';
import { dropContainer } from '../support/backends/drop-container.ts';
import { testCall } from '../support/test-call.ts';

/** What hangs on weak references goes with the second collection, and in a later turn of the event loop. */
const COLLECTIONS = 3;

/** Connections of the adapters are kept for some seconds. */
const RESTS = 4;
const REST_MS = 1500;

/** What the process holds once garbage is collected, bytes. */
export async function heldBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let turn = 0; turn < COLLECTIONS; turn += 1) {
    await nextTurn();
    collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * What the process holds when it had time to come to rest: pools, timers and connections that end are gone, and memory
 * went back to the system.
 */
export async function restingMemory(): Promise<NodeJS.MemoryUsage> {
  for (let turn = 0; turn < RESTS; turn += 1) {
    await heldBytes();
    await sleep(REST_MS);
  }
  await heldBytes();
  return process.memoryUsage();
}

/** Removes all containers and blobs: what is held then is the gateway's own. */
export async function emptyStore(store: BlobStore): Promise<void> {
  let token: string | undefined;
  do {
    const { containers, nextToken } = await store.listContainers(token, testCall());
    for (const { name } of containers) await dropContainer(store, name);
    token = nextToken;
  } while (token !== undefined);
}
