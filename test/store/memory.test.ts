import { MemoryBlobStore } from '../../adapters/memory/memory-blob-store.ts';
import { describeBlobStore } from './conformance.ts';

const setArchived = (store: unknown, ref: { container: string; name: string }, archived: boolean): void => {
  if (store instanceof MemoryBlobStore) store.setArchived(ref, archived);
};

for (const nameOrder of ['utf16', 'utf8'] as const) {
  const capabilities = { nameOrder, maxStagedBlock: 64 * 1024 };
  describeBlobStore(`memory, ${nameOrder}`, async () => new MemoryBlobStore({ capabilities }), { setArchived });
}
