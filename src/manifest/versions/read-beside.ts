import type { HeadMemory } from '../heads/head-memory.ts';
import type { Revision } from '../../store/blob-store.ts';
import type { KeyRef } from '../records/key-ref.ts';
import type { VersionToken } from '../records/version-token.ts';

/** Anything that tells the revision of a head that was read. */
interface Revised {
  readonly properties: { readonly revision: Revision };
}

/** Two reads that begin at once. */
interface SideBySide<H, T> {
  readonly head: () => Promise<H>;
  readonly version: (token: VersionToken) => Promise<T>;
  /** Gives up what was read in vain. */
  readonly discard: (result: T) => void;
}

/**
 * Reads a head, and beside it the own blob of the version that it named last, as far as this process remembers. What
 * comes of the blob counts only if the head is still at the remembered revision: every change of a key's history writes
 * the head, so the version was current from before the request until the head was read, and with it when its own blob
 * was read. (The same version under another revision may have been displaced, changed and brought back in between.)
 *
 * docs/decisions/0033-remembered-heads.md
 * @returns the head, and the read of the version when the head is as it is remembered. The caller takes or releases it
 */
export async function readBeside<H extends Revised | undefined, T>(
  memory: HeadMemory,
  place: KeyRef,
  reads: SideBySide<H, T>,
): Promise<{ readonly head: H; readonly guess: Guess<T> | undefined }> {
  // The comparison of revisions makes up for any age.
  const last = memory.recent(place, Number.POSITIVE_INFINITY)?.head;
  if (last?.record?.kind !== 'link') return { head: await reads.head(), guess: undefined };
  const guess = new Guess(reads.version(last.record.version), reads.discard);
  try {
    const head = await reads.head();
    if (head?.properties.revision === last.properties.revision) return { head, guess };
    guess.release();
    return { head, guess: undefined };
  } catch (error) {
    guess.release();
    throw error;
  }
}

/** A version's own blob, asked for before it was known to be the current one. Taken or released, once. */
export class Guess<T> {
  #reading: Promise<T> | undefined;
  readonly #discard: (result: T) => void;

  constructor(reading: Promise<T>, discard: (result: T) => void) {
    this.#reading = reading;
    this.#discard = discard;
    // The request that takes it hears of its failure. Until then a failure has no listener.
    reading.catch(() => undefined);
  }

  /** @returns undefined when it was taken or released before */
  take(): Promise<T> | undefined {
    const reading = this.#reading;
    this.#reading = undefined;
    return reading;
  }

  /** Gives it up, unless it was taken. */
  release(): void {
    this.take()?.then(this.#discard, () => undefined);
  }
}
