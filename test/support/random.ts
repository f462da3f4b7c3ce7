/** Numbers that look random and are the same for the same seed: mulberry32. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(from: readonly T[]): T {
    const one = from[this.below(from.length)];
    if (one === undefined) throw new RangeError('nothing to pick from');
    return one;
  }

  /** Some of them, in their order. */
  some<T>(from: readonly T[], most: number): T[] {
    return from.filter(() => this.chance(most / from.length)).slice(0, most);
  }

  /** @param choices at least one of a weight above 0 */
  weighted<T extends { readonly weight: number }>(choices: readonly T[]): T {
    let at = this.next() * choices.reduce((sum, { weight }) => sum + weight, 0);
    for (const choice of choices) {
      at -= choice.weight;
      if (at < 0) return choice;
    }
    throw new RangeError('weights do not add up');
  }
}
