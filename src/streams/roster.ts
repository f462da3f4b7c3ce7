/** What may be entered in a roster: it keeps its own place there, -1 for none. */
export interface Enrolled {
  place: number;
}

/**
 * All that is under way at the moment, in no order: what a `Set` could be, but for the collector of garbage. A `Set`
 * from which as much is removed as is added gets a new table every few dozen additions, and each old table holds on to
 * what it held last and to the next table. Once one of them lies among old objects, all later ones, and with them all
 * that was ever entered, outlive the young generation, until a full collection: twice the work for each young one.
 */
export class Roster<T extends Enrolled> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** @param item in no roster */
  add(item: T): void {
    item.place = this.#items.length;
    this.#items.push(item);
  }

  /** Nothing happens when it is not there. */
  delete(item: T): void {
    const { place } = item;
    if (this.#items[place] !== item) return;
    item.place = -1;
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    this.#items[place] = last;
    last.place = place;
  }

  /** Those that are there now: what is added or removed meanwhile makes no difference. */
  [Symbol.iterator](): Iterator<T> {
    return this.#items.slice().values();
  }
}
