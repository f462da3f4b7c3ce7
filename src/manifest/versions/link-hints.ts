import type { Revision } from '../../store/blob-store.ts';
import { ByteBoundedMap } from '../heads/byte-bounded-map.ts';
import { type Head, residentBytes } from '../heads/head.ts';
import { type KeyRef, keyName } from '../records/key-ref.ts';
import type { VersionToken } from '../records/version-token.ts';

/** About what all hints may take, bytes. */
const MAX_BYTES = 8 * 1024 * 1024;
/** A change of a key does not begin with a head that was seen longer ago than this. Milliseconds. */
const YOUNG_MS = 30_000;

/** A head that names an object's version. */
interface LinkHint {
  readonly head: Head;
  readonly version: VersionToken;
  /** Milliseconds since the epoch. */
  readonly seen: number;
  readonly bytes: number;
}

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
 * The heads that this process saw or wrote last, as far as they name versions. A hint is advice; it saves a round trip:
 *
 * * A read of the current version asks for its own blob beside the head. What comes counts only if the head is still
 *   at the revision of the hint: every change of a key's history writes the head, so the version was current from
 *   before the request until the head was read, and with it when its own blob was read. (The same version under another
 *   revision may have been displaced, changed and brought back in between.)
 * * A change of the key takes the hint for the head. Its write is on condition of the revision.
 *
 * docs/decisions/0033-remembered-heads.md
 */
export class LinkHints {
  readonly #hints: ByteBoundedMap<LinkHint>;
  readonly #now: () => number;

  /** @param now milliseconds since the epoch */
  constructor(now: () => number, maxBytes = MAX_BYTES) {
    this.#now = now;
    this.#hints = new ByteBoundedMap(maxBytes);
  }

  /** About what is held. */
  get bytes(): number {
    return this.#hints.bytes;
  }

  /** What was just read, or written. */
  note(place: KeyRef, head: Head | undefined): void {
    if (place.bucket.versioning === 'never') return;
    const name = keyName(place);
    if (head?.record?.kind !== 'link') {
      this.#hints.delete(name);
      return;
    }
    const bytes = residentBytes(name, head);
    this.#hints.set(name, { head, version: head.record.version, seen: this.#now(), bytes });
  }

  /** The head as it was a moment ago. Undefined: not known, or not since long. */
  recent(place: KeyRef): Head | undefined {
    const hint = this.#hints.get(keyName(place));
    if (hint === undefined || Math.abs(this.#now() - hint.seen) > YOUNG_MS) return undefined;
    return hint.head;
  }

  /**
   * Reads a head, and beside it the version that it named last.
   * @returns the head, and the read of the version when the head is as the hint has it. The caller takes or releases it
   */
  async beside<H extends Revised | undefined, T>(
    place: KeyRef,
    reads: SideBySide<H, T>,
  ): Promise<{ readonly head: H; readonly guess: Guess<T> | undefined }> {
    const hint = place.bucket.versioning === 'never' ? undefined : this.#hints.get(keyName(place));
    if (hint === undefined) return { head: await reads.head(), guess: undefined };
    const guess = new Guess(reads.version(hint.version), reads.discard);
    try {
      const head = await reads.head();
      if (head?.properties.revision === hint.head.properties.revision) return { head, guess };
      guess.release();
      return { head, guess: undefined };
    } catch (error) {
      guess.release();
      throw error;
    }
  }
}

/** A version's own blob, asked for before it was known to be the current one. Taken or released, once. */
export class Guess<T> {
  #reading: Promise<T> | undefined;
  readonly #discard: (result: T) => void;

  constructor(reading: Promise<T>, discard: (result: T) => void) {
    this.#reading = reading;
    this.#discard = discard;
    // Whoever takes it hears of its failure. Until then nobody listens.
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
