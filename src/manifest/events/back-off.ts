const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** What has not failed for so long is not tried any more: its configuration, or its bucket, is gone. */
const FORGOTTEN_MS = 10 * LONGEST_MS;

/**
 * How long destinations that took nothing are left alone: twice as long each time, up to a minute. Those of each bucket
 * by themselves: configurations of two buckets may say the same, and a receiver may refuse the events of one of them.
 */
export class BackOff {
  /** Those that failed longest ago come first. */
  readonly #failing = new Map<string, { failures: number; until: number }>();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** @param uid of the bucket @param name of the destination */
  isOff(uid: string, name: string): boolean {
    return (this.#failing.get(placeOf(uid, name))?.until ?? 0) > this.#monotonic();
  }

  failed(uid: string, name: string): void {
    this.#forgetOld();
    const place = placeOf(uid, name);
    const failures = (this.#failing.get(place)?.failures ?? 0) + 1;
    const wait = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
    this.#failing.delete(place);
    this.#failing.set(place, { failures, until: this.#monotonic() + wait });
  }

  /** How many are remembered. */
  get size(): number {
    return this.#failing.size;
  }

  worked(uid: string, name: string): void {
    this.#failing.delete(placeOf(uid, name));
  }

  #forgetOld(): void {
    const oldest = this.#monotonic() - FORGOTTEN_MS;
    for (const [place, { until }] of this.#failing) {
      if (until > oldest) return;
      this.#failing.delete(place);
    }
  }
}

function placeOf(uid: string, name: string): string {
  return `${uid}/${name}`;
}
