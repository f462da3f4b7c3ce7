import type { PackedDocument } from '../../observe/packed-reasons.ts';

interface Repeated {
  readonly place: number;
  /** JSON. */
  readonly text: string;
  /** Of each ring the last record that names it. */
  readonly last: number[];
}

/** Room is made by looking through all: not more often than once for so many texts that find none. */
const TRIES_BETWEEN = 256;
/** About what a text takes besides its characters. */
const PER_TEXT = 200;

/** The record that is about to be written. */
interface NextRecord {
  readonly ring: number;
  /** Its number in that ring. */
  readonly serial: number;
}

/**
 * What documents said to requests, kept once for all requests that were told the same: the names of twenty statements
 * are longer than all else that is kept of a small request. A text is kept as long as a record of a ring names it.
 */
export class RepeatedDocuments {
  readonly #maxBytes: number;
  readonly #oldest: () => readonly number[];
  readonly #byDocument = new WeakMap<PackedDocument, Repeated>();
  readonly #byText = new Map<string, Repeated>();
  readonly #byPlace = new Map<number, Repeated>();
  #bytes = 0;
  #places = 0;
  /** Texts that found no room since it was made. */
  #refused = 0;

  /**
   * @param maxBytes about, of all texts
   * @param oldest of each ring, the number of the first record that is still there
   */
  constructor(maxBytes: number, oldest: () => readonly number[]) {
    this.#maxBytes = maxBytes;
    this.#oldest = oldest;
  }

  /** About what is held. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What a record names. Undefined: it is not there. */
  at(place: number): PackedDocument | undefined {
    const found = this.#byPlace.get(place);
    return found && (JSON.parse(found.text) as PackedDocument);
  }

  /** Where a document is kept for a record that is to name it. Undefined: there is no room for it. */
  place(document: PackedDocument, { ring, serial }: NextRecord): number | undefined {
    const known = this.#byDocument.get(document);
    const found = known !== undefined && this.#byPlace.has(known.place) ? known : this.#kept(document);
    if (found === undefined) return undefined;
    found.last[ring] = serial;
    return found.place;
  }

  #kept(document: PackedDocument): Repeated | undefined {
    const text = JSON.stringify(document);
    const found = this.#byText.get(text) ?? this.#added(text);
    if (found !== undefined) this.#byDocument.set(document, found);
    return found;
  }

  #added(text: string): Repeated | undefined {
    const bytes = sizeOf(text);
    if (this.#bytes + bytes > this.#maxBytes) {
      if (this.#refused === 0) this.#forget();
      if (this.#bytes + bytes > this.#maxBytes) {
        this.#refused = (this.#refused + 1) % TRIES_BETWEEN;
        return undefined;
      }
    }
    this.#places += 1;
    const made: Repeated = { place: this.#places, text, last: [] };
    this.#byText.set(text, made);
    this.#byPlace.set(made.place, made);
    this.#bytes += bytes;
    return made;
  }

  /** Those that no record names any more. */
  #forget(): void {
    const oldest = this.#oldest();
    for (const { text, place, last } of this.#byText.values()) {
      if (oldest.some((first, ring) => (last[ring] ?? 0) >= first)) continue;
      this.#byText.delete(text);
      this.#byPlace.delete(place);
      this.#bytes -= sizeOf(text);
    }
  }
}

function sizeOf(text: string): number {
  return PER_TEXT + 2 * text.length;
}
