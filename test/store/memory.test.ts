import { withCallLog } from '../../adapters/doubles/call-log.ts';
import { withFaults } from '../../adapters/doubles/faults.ts';
import { MemoryBlobStore } from '../../adapters/memory/memory-blob-store.ts';
import type { BlobRef, BlobStore } from '../../src/store/blob-store.ts';
import { describeBlobStore } from './conformance.ts';

const maxStagedBlock = 64 * 1024;
const setArchived = (store: BlobStore, ref: BlobRef, archived: boolean): void => {
  if (store instanceof MemoryBlobStore) store.setArchived(ref, archived);
};

for (const nameOrder of ['utf16', 'utf8'] as const) {
  const capabilities = { nameOrder, maxStagedBlock };
  describeBlobStore(`memory, ${nameOrder}`, async () => new MemoryBlobStore({ capabilities }), { setArchived });
}

// Calls that overtake each other, and the wrappers that tests put around stores.
const unruly = async (): Promise<BlobStore> => {
  const memory = new MemoryBlobStore({ capabilities: { maxStagedBlock } });
  return withCallLog(withFaults(memory, ({ count }) => ({ kind: 'delay', ms: (count * 7) % 4 })));
};
describeBlobStore('memory, wrapped, with delays', unruly);
