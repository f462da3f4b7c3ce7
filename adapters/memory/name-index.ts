import { nameComparator, type NameOrder } from '../../src/store/name-order.ts';

/** Up to this many changes are inserted one by one; more are sorted and merged at once. */
const FEW_CHANGES = 32;

/**
 * The names of one container in the order of a cloud's listings.
 *
 * Changes are noted, and applied when the order is asked for next. So n writes and one list cost O(n log n), and each
 * further page O(log n + page).
 */
export class NameIndex {
  readonly #compare: (a: string, b: string) => number;
  readonly #added = new Set<string>();
  readonly #removed = new Set<string>();
  #sorted: string[] = [];

  constructor(order: NameOrder) {
    this.#compare = nameComparator(order);
  }

  /** Must not be called for a name that is in the index. */
  add(name: string): void {
    if (!this.#removed.delete(name)) this.#added.add(name);
  }

  /** Must not be called for a name that is not in the index. */
  remove(name: string): void {
    if (!this.#added.delete(name)) this.#removed.add(name);
  }

  /** All names in order; valid until the next change. */
  names(): readonly string[] {
    if (this.#added.size + this.#removed.size > 0) this.#apply();
    return this.#sorted;
  }

  /** Position in `names()` of the first name that is `>= name`. */
  firstAtOrAfter(name: string): number {
    return this.#firstWhere((candidate) => this.#compare(candidate, name) >= 0);
  }

  /** Position in `names()` of the first name that is `> name`. */
  firstAfter(name: string): number {
    return this.#firstWhere((candidate) => this.#compare(candidate, name) > 0);
  }

  /** Position in `names()` of the first name behind everything that starts with `prefix`. */
  firstBehindPrefix(prefix: string): number {
    return this.#firstWhere((candidate) => !candidate.startsWith(prefix) && this.#compare(candidate, prefix) > 0);
  }

  /** Binary search: `holds` must be false up to some name and true from there on. */
  #firstWhere(holds: (candidate: string) => boolean): number {
    const names = this.names();
    let low = 0;
    let high = names.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (holds(names[middle] ?? '')) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #apply(): void {
    const added = [...this.#added];
    const removed = new Set(this.#removed);
    this.#added.clear();
    this.#removed.clear();
    if (added.length + removed.size <= FEW_CHANGES) {
      for (const name of removed) this.#sorted.splice(this.firstAtOrAfter(name), 1);
      for (const name of added) this.#sorted.splice(this.firstAtOrAfter(name), 0, name);
      return;
    }
    const kept = removed.size === 0 ? this.#sorted : this.#sorted.filter((name) => !removed.has(name));
    this.#sorted = this.#merge(kept, added.sort(this.#compare));
  }

  #merge(left: readonly string[], right: readonly string[]): string[] {
    if (left.length === 0) return [...right];
    const merged: string[] = [];
    let r = 0;
    for (const name of left) {
      for (let next = right[r]; next !== undefined && this.#compare(next, name) < 0; next = right[r]) {
        merged.push(next);
        r += 1;
      }
      merged.push(name);
    }
    return merged.concat(right.slice(r));
  }
}
