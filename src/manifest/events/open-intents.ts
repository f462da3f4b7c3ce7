import type { BlobEntry, Revision } from '../../store/blob-store.ts';

/** Milliseconds. */
const FIRST_MS = 1_000;
const LONGEST_MS = 600_000;
/** Intents that are remembered. Those beyond it are looked at whenever others are. */
const MOST_REMEMBERED = 10_000;

type NamedRevision = Pick<BlobEntry, 'name' | 'revision'>;

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
  isDue({ name, revision }: NamedRevision): boolean {
    const known = this.#open.get(name);
    return known === undefined || known.revision !== revision || known.until <= this.#monotonic();
  }

  /** How many are remembered. */
  get size(): number {
    return this.#open.size;
  }

  /** @param entries what a pass left of a page */
  note(entries: readonly NamedRevision[]): void {
    if (this.#open.size + entries.length > MOST_REMEMBERED) this.#forgetOld();
    for (const { name, revision } of entries) {
      if (this.#open.size >= MOST_REMEMBERED && !this.#open.has(name)) continue;
      const before = this.#open.get(name);
      const wait = before?.revision === revision ? Math.min(before.wait * 2, LONGEST_MS) : FIRST_MS;
      this.#open.set(name, { revision, wait, until: this.#monotonic() + wait });
    }
  }

  /** Those that were not looked at for long when they could be are gone, or another process has them. */
  #forgetOld(): void {
    const oldest = this.#monotonic() - LONGEST_MS;
    for (const [name, { until }] of this.#open) if (until < oldest) this.#open.delete(name);
  }
}
