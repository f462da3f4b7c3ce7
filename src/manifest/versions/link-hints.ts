import type { Revision } from '../../store/blob-store.ts';
import type { Head } from '../heads/head.ts';
import type { KeyRef } from '../records/key-ref.ts';
import type { VersionToken } from '../records/version-token.ts';

/** About what all hints may take, bytes. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Of a hint, besides its key. */
const PER_HINT = 250;

/** The version that a head named, and the head's revision. */
interface LinkHint {
  readonly revision: Revision;
  readonly version: VersionToken;
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
 * Which version each head named when this process last saw it, for the heads seen last. A current version that is read
 * again costs one round trip: its own blob is asked for beside the head.
 *
 * A hint is advice. What was read by it counts only if the head is still at the revision of the hint: every change of
 * a key's history writes the head, so the version was current from before the request until the head was read, and
 * with it when its own blob was read. (The same version under another revision may have been displaced, changed and
 * brought back in between.)
 */
export class LinkHints {
  readonly #hints = new Map<string, LinkHint>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** About what is held. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A head that was just read. */
  note(place: KeyRef, head: Head | undefined): void {
    const { bucket } = place;
    if (bucket.versioning === 'never') return;
    const link = head?.record?.kind === 'link' ? head.record : undefined;
    this.written(place, link && head && { revision: head.properties.revision, version: link.version });
  }

  /** A head that was just written. @param hint undefined: it names no object's version */
  written(place: KeyRef, hint: LinkHint | undefined): void {
    const name = nameOf(place);
    this.#forget(name);
    if (hint === undefined) return;
    this.#hints.set(name, hint);
    this.#bytes += costOf(name);
    for (const oldest of this.#hints.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#forget(oldest);
    }
  }

  /**
   * Reads a head, and beside it the version that it named last.
   * @returns the head, and the read of the version when the head is as the hint has it. The caller takes or releases it
   */
  async beside<H extends Revised | undefined, T>(
    place: KeyRef,
    reads: SideBySide<H, T>,
  ): Promise<{ readonly head: H; readonly guess: Guess<T> | undefined }> {
    const hint = place.bucket.versioning === 'never' ? undefined : this.#hints.get(nameOf(place));
    if (hint === undefined) return { head: await reads.head(), guess: undefined };
    const guess = new Guess(reads.version(hint.version), reads.discard);
    try {
      const head = await reads.head();
      if (head?.properties.revision === hint.revision) return { head, guess };
      guess.release();
      return { head, guess: undefined };
    } catch (error) {
      guess.release();
      throw error;
    }
  }

  #forget(name: string): void {
    if (this.#hints.delete(name)) this.#bytes -= costOf(name);
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

function nameOf({ bucket, key }: KeyRef): string {
  return `${bucket.uid}/${key}`;
}

/** UTF-16 at worst. */
function costOf(name: string): number {
  return PER_HINT + 2 * name.length;
}
