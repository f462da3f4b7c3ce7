import type { Call } from '../observe/call.ts';
import type { BlobStore, RemoveItem, RemoveOutcome } from './blob-store.ts';

/** How often a removal is tried whose outcome is an error. */
const TRIES = 2;

/**
 * Removes blobs under whose names nothing is ever written again: so what is in doubt may be sent once more.
 * @param items of the system container
 * @returns outcomes in the order of the items, none an error
 * @throws StoreError of an item with which all tries failed; the others were tried as often
 */
export async function removeForGood(
  { store, system }: { readonly store: BlobStore; readonly system: string },
  items: readonly RemoveItem[],
  call: Call,
): Promise<readonly RemoveOutcome[]> {
  const outcomes: RemoveOutcome[] = items.map(() => 'notFound');
  let left = items.map((_, place) => place);
  for (let tries = 1; left.length > 0; tries += 1) {
    const sent = left.map((place) => items[place] as RemoveItem);
    const told = await store.removeMany(system, sent, call);
    left.forEach((place, at) => (outcomes[place] = told[at] ?? 'notFound'));
    left = left.filter((place) => outcomes[place] instanceof Error);
    const failure = outcomes[left[0] ?? -1];
    if (failure instanceof Error && tries === TRIES) throw failure;
  }
  return outcomes;
}
