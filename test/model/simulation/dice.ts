/**
 * Numbers that depend on the seed and on what they are for, and on nothing that was drawn before: a plan from which
 * something was taken out goes on as before.
 */
export class Dice {
  readonly #seed: string;

  constructor(...seed: readonly (string | number)[]) {
    this.#seed = seed.join('/');
  }

  /** In [0, 1). */
  roll(...labels: readonly (string | number)[]): number {
    let state = 2_166_136_261;
    const text = `${this.#seed}/${labels.join('/')}`;
    for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 16_777_619);
    state = Math.imul(state ^ (state >>> 16), 0x85eb_ca6b);
    state = Math.imul(state ^ (state >>> 13), 0xc2b2_ae35);
    return ((state ^ (state >>> 16)) >>> 0) / 2 ** 32;
  }

  chance(probability: number, ...labels: readonly (string | number)[]): boolean {
    return this.roll(...labels) < probability;
  }

  /** From `low` to `high`, both included. */
  whole(low: number, high: number, ...labels: readonly (string | number)[]): number {
    return low + Math.floor(this.roll(...labels) * (high - low + 1));
  }

  pick<T>(items: readonly T[], ...labels: readonly (string | number)[]): T {
    const item = items[Math.floor(this.roll(...labels) * items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }
}
