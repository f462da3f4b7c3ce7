import { describe, expect, it } from 'vitest';
import { GatheredRemovals } from '../../../src/store/gathered-removals.ts';
import type { BlobStore, RemoveItem, RemoveOutcome, Revision } from '../../../src/store/blob-store.ts';
import { isStoreError } from '../../../src/store/store-error.ts';
import { testCall } from '../../support/test-call.ts';

type Answer = (items: readonly RemoveItem[]) => Promise<RemoveOutcome[]>;

/** Removals that are answered so, and the names of each batch that was sent. */
function gathered(answer: Answer): { removals: GatheredRemovals; batches: string[][] } {
  const batches: string[][] = [];
  const removeMany = async (_container: string, items: readonly RemoveItem[]): Promise<RemoveOutcome[]> => {
    batches.push(items.map(({ name }) => name));
    return answer(items);
  };
  const store = { removeMany } as Partial<BlobStore> as BlobStore;
  return { removals: new GatheredRemovals({ store, container: 'c' }), batches };
}

/** What became of the removal of each name, all asked for side by side. */
function outcomesOf(removals: GatheredRemovals, names: readonly string[]): Promise<string[]> {
  return Promise.all(
    names.map((name) =>
      removals.remove(name, 'r1' as Revision, testCall()).then(
        () => 'removed',
        (error: unknown) => (isStoreError(error) ? `${error.kind}${error.lost ? ' lost' : ''}` : String(error)),
      ),
    ),
  );
}

describe('removals side by side', () => {
  it('are sent together, and each is told its own outcome', async () => {
    const { removals, batches } = gathered(async () => ['removed', 'notFound', 'conditionFailed', new Error('broken')]);
    const outcomes = await outcomesOf(removals, ['a', 'b', 'c', 'd']);
    expect(outcomes).toEqual(['removed', 'notFound', 'conditionFailed', 'Error: broken']);
    expect(batches).toEqual([['a', 'b', 'c', 'd']]);
  });

  it('that have no outcome are in doubt, not done', async () => {
    const { removals } = gathered(async () => ['removed']);
    expect(await outcomesOf(removals, ['a', 'b'])).toEqual(['removed', 'unavailable lost']);
  });

  it('fail together when the call fails', async () => {
    const { removals } = gathered(async () => {
      throw new Error('no answer');
    });
    expect(await outcomesOf(removals, ['a', 'b'])).toEqual(['Error: no answer', 'Error: no answer']);
  });

  it('that come later are sent later', async () => {
    const { removals, batches } = gathered(async (items) => items.map(() => 'removed' as const));
    await outcomesOf(removals, ['a']);
    await outcomesOf(removals, ['b', 'c']);
    expect(batches).toEqual([['a'], ['b', 'c']]);
  });
});
