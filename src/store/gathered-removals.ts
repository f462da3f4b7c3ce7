import type { Call } from '../observe/call.ts';
import type { BlobStore, RemoveItem, Revision } from './blob-store.ts';
import { StoreError } from './store-error.ts';

interface Waiting {
  readonly item: RemoveItem;
  readonly call: Call;
  readonly settle: PromiseWithResolvers<undefined>;
}

/**
 * Removals of single blobs of one container that many works ask for side by side. Those that are asked for until all
 * works wait are sent together (`removeMany`), and each is told its own outcome.
 */
export class GatheredRemovals {
  readonly #store: BlobStore;
  readonly #container: string;
  #waiting: Waiting[] = [];

  constructor({ store, container }: { readonly store: BlobStore; readonly container: string }) {
    this.#store = store;
    this.#container = container;
  }

  /** As `remove` of the store. All that are sent together end with the call of the first. */
  async remove(name: string, revision: Revision, call: Call): Promise<void> {
    const settle = Promise.withResolvers<undefined>();
    this.#waiting.push({ item: { name, revision }, call, settle });
    // Comes when every promise that is settled was heeded: when all works have asked that can.
    if (this.#waiting.length === 1) process.nextTick(() => void this.#send());
    await settle.promise;
  }

  async #send(): Promise<void> {
    const sent = this.#waiting;
    this.#waiting = [];
    const [first] = sent;
    if (first === undefined) return;
    try {
      const items = sent.map(({ item }) => item);
      const outcomes = await this.#store.removeMany(this.#container, items, first.call);
      sent.forEach(({ settle }, place) => {
        // Without an outcome nothing is known, which is not that the blob is gone.
        const outcome = outcomes[place] ?? new StoreError('unavailable', { call: 'removeMany', lost: true });
        if (outcome === 'removed') settle.resolve(undefined);
        else settle.reject(outcome instanceof Error ? outcome : new StoreError(outcome, { call: 'remove' }));
      });
    } catch (error) {
      for (const { settle } of sent) settle.reject(error);
    }
  }
}
