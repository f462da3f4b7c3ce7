import { type KeyRef, keyName } from '../records/key-ref.ts';
import type { ObjectView } from '../records/object-view.ts';
import { ByteBoundedMap } from './byte-bounded-map.ts';
import { type Head, isWholeObject, residentBytes } from './head.ts';

/** About what all of them may take, bytes. */
const MAX_BYTES = 4 * 1024 * 1024;
/** What was seen longer ago has too often changed to be worth a try. Milliseconds. */
const YOUNG_MS = 30_000;

interface Seen {
  readonly view: ObjectView;
  readonly bytes: number;
  /** When it was seen, or asked for last. Milliseconds since the epoch. */
  at: number;
}

/**
 * The objects that this process looked at last, as far as the blob at the key's name is the whole object. An entry
 * describes one revision of that blob and nothing else. So it may be used only to read bytes on condition of that
 * revision; if the condition fails, the object must be looked at again.
 *
 * docs/decisions/0038-copies-in-one-call.md
 */
export class SeenObjects {
  readonly #seen: ByteBoundedMap<Seen>;
  readonly #now: () => number;

  /** @param now milliseconds since the epoch */
  constructor(now: () => number, maxBytes = MAX_BYTES) {
    this.#now = now;
    this.#seen = new ByteBoundedMap(maxBytes);
  }

  /** About what is held. */
  get bytes(): number {
    return this.#seen.bytes;
  }

  /** What was just read, of the current version of a key. */
  note(place: KeyRef, head: Head, view: ObjectView): void {
    const name = keyName(place);
    const known = this.#seen.get(name);
    if (!canBeTaken(place, head)) {
      this.#seen.delete(name);
    } else if (known?.view.head.revision === view.head.revision) {
      known.at = this.#now();
    } else {
      this.#seen.set(name, { view, bytes: residentBytes(name, head), at: this.#now() });
    }
  }

  /** The object as it was a moment ago. Undefined: not known, or not since long. */
  recall(place: KeyRef): ObjectView | undefined {
    const seen = this.#seen.get(keyName(place));
    const now = this.#now();
    if (seen === undefined || Math.abs(now - seen.at) > YOUNG_MS) return undefined;
    seen.at = now;
    return seen.view;
  }

  /** The key is being changed, or is not there. */
  forget(place: KeyRef): void {
    if (this.#seen.bytes > 0) this.#seen.delete(keyName(place));
  }
}

/**
 * Whether a copy on condition of this revision proves that it was still the object. It would not for an empty object,
 * since a part made of one asks nothing of the source; nor for an archived one, since a blob changes to an offline tier
 * and back without a new revision.
 */
export function canBeTaken({ bucket }: KeyRef, { record, properties }: Head): boolean {
  const { size, archived = false } = properties;
  return isWholeObject(record) && size > 0 && !archived && bucket.home.store.capabilities.pinsSources;
}
