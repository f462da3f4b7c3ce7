import { setImmediate as nextTurn } from 'node:timers/promises';

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** Most things that may happen in one run: more means that something goes round and round. */
const MOST_ENTRIES = 200_000;
/** Turns of the event loop in which nobody does anything before nobody will: bodies go through several streams. */
const QUIET_TURNS = 4;

/** Virtual time: what is due next happens next, and time is what it was due at. Milliseconds. */
export class Timeline {
  now = 0;
  #entries: Entry[] = [];
  #order = 0;
  #activity = 0;

  /** Runs `work` in so long. @returns what takes it back */
  after(ms: number, work: () => void): () => void {
    const entry = { at: this.now + Math.max(0, ms), order: this.#order++, run: work };
    const before = this.#entries.findIndex((other) => other.at > entry.at);
    this.#entries.splice(before < 0 ? this.#entries.length : before, 0, entry);
    this.#activity += 1;
    return () => {
      this.#entries = this.#entries.filter((other) => other !== entry);
    };
  }

  /** Somebody did something, so others may have to. */
  stir(): void {
    this.#activity += 1;
  }

  /** Until nothing is due any more. @throws Error when it does not end */
  async run(): Promise<void> {
    await this.#settle();
    for (let count = 0; ; count++) {
      const next = this.#entries.shift();
      if (next === undefined) return;
      if (count > MOST_ENTRIES) throw new Error('it does not end');
      this.now = Math.max(this.now, next.at);
      next.run();
      await this.#settle();
    }
  }

  /**
   * Until whoever can go on has gone on: nobody waits for anything but virtual time, or for a turn of the event loop or
   * two.
   */
  async #settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; ) {
      const before = this.#activity;
      await nextTurn();
      quiet = before === this.#activity ? quiet + 1 : 0;
    }
  }
}
