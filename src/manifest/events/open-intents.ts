import type { BlobEntry, Revision } from '../../store/blob-store.ts';

/** Milliseconds. */
const FIRST_MS = 1_000;
const LONGEST_MS = 600_000;
/** Intents that are remembered. */
const MOST = 10_000;

interface Open {
  readonly revision: Revision;
  /** Monotonic milliseconds. */
  readonly wait: number;
  readonly until: number;
}

/**
 * Intents of which nothing could be told when this process looked last: of changes under way, or of a process that
 * died. They are looked at again when twice as much time has passed, so that they cost little for the day that they
 * may stay.
 */
export class OpenIntents {
  readonly #open = new Map<string, Open>();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Whether an intent is worth a look. */
  isDue({ name, revision }: BlobEntry): boolean {
    const known = this.#open.get(name);
    return known === undefined || known.revision !== revision || known.until <= this.#monotonic();
  }

  /** @param entries all that a pass left of a bucket's */
  note(entries: readonly BlobEntry[]): void {
    if (this.#open.size + entries.length > MOST) this.#open.clear();
    for (const { name, revision } of entries) {
      const before = this.#open.get(name);
      const wait = before?.revision === revision ? Math.min(before.wait * 2, LONGEST_MS) : FIRST_MS;
      this.#open.set(name, { revision, wait, until: this.#monotonic() + wait });
    }
  }
}
