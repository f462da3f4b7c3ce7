/** Numbers that a seed decides (mulberry32): what is chosen can be chosen again, though not when it happens. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to `below`. */
  below(below: number): number {
    return Math.floor(this.next() * below);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  /** @param choices at least one */
  of<T>(choices: readonly T[]): T {
    const choice = choices[this.below(choices.length)];
    if (choice === undefined) throw new Error('nothing to choose from');
    return choice;
  }

  /** @param choices at least one of a weight above 0 */
  weighted<T extends { readonly weight: number }>(choices: readonly T[]): T {
    let at = this.next() * choices.reduce((sum, { weight }) => sum + weight, 0);
    for (const choice of choices) {
      at -= choice.weight;
      if (at < 0) return choice;
    }
    throw new Error('weights do not add up');
  }
}
