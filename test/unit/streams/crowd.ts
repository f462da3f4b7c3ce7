import { onTestFinished } from 'vitest';
import { type PacedBody, bulkPacer } from '../../../src/streams/bulk-pacer.ts';

const SIZE = 2000;
const MORE_THAN_A_TURN = 4 * 1024 * 1024;

/**
 * So many bodies that each other one waits for hundreds of turns of the event loop before it goes on. Must end before
 * anybody else waits for it.
 */
export class Crowd {
  readonly #places: PacedBody[] = [];

  constructor() {
    bulkPacer.smallBegan();
    for (let i = 0; i < SIZE; i += 1) {
      const place = bulkPacer.enter(() => place.mayGoOn(MORE_THAN_A_TURN), 'while others wait');
      this.#places.push(place);
      place.mayGoOn(MORE_THAN_A_TURN);
    }
    onTestFinished(() => this.end());
  }

  /** Others that wait among them. */
  get others(): number {
    return bulkPacer.waiting - this.#places.length;
  }

  /** Resolves when so many others wait. */
  async untilOthersWait(count = 1): Promise<void> {
    while (this.others < count) await nextTurn();
  }

  end(): void {
    if (this.#places.length === 0) return;
    for (const place of this.#places.splice(0)) place.leave();
    bulkPacer.smallOver('large');
  }
}

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
