const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/** How long receivers that took nothing are left alone: twice as long each time, up to a minute. */
export class BackOff {
  readonly #failing = new Map<string, { failures: number; until: number }>();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  isOff(name: string): boolean {
    return (this.#failing.get(name)?.until ?? 0) > this.#monotonic();
  }

  failed(name: string): void {
    const failures = (this.#failing.get(name)?.failures ?? 0) + 1;
    const wait = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
    this.#failing.set(name, { failures, until: this.#monotonic() + wait });
  }

  worked(name: string): void {
    this.#failing.delete(name);
  }
}
