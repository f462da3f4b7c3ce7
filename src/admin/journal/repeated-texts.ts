/** A text that entries name instead of having it. */
export interface RepeatedText {
  readonly place: number;
  readonly text: string;
  /** Of each ring the last entry that names it. */
  readonly last: number[];
  /** No entry may name it any more. */
  forgotten: boolean;
}

/** Room is made by looking through all: not more often than once for so many texts that find none. */
const TRIES_BETWEEN = 256;
/** About what a text takes besides its characters. */
const PER_TEXT = 200;

/**
 * Texts that many requests have alike, kept once for all of them, as long as an entry of a ring names them. Requests of
 * one client differ by a few headers of ten, and what twenty statements of a policy said is longer than all else that
 * is kept of a small request.
 */
export class RepeatedTexts {
  readonly #maxBytes: number;
  readonly #oldest: () => readonly number[];
  readonly #byText = new Map<string, RepeatedText>();
  readonly #byPlace = new Map<number, RepeatedText>();
  #bytes = 0;
  #places = 0;
  /** The entry that is about to be written, and its ring. */
  #ring = 0;
  #serial = 0;
  /** Texts that found no room since it was made. */
  #refused = 0;

  /**
   * @param maxBytes about, of all texts
   * @param oldest of each ring, the number of the first entry that is still there
   */
  constructor(maxBytes: number, oldest: () => readonly number[]) {
    this.#maxBytes = maxBytes;
    this.#oldest = oldest;
  }

  /** About what is held. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What an entry names. Undefined: it is not there. */
  at(place: number): string | undefined {
    return this.#byPlace.get(place)?.text;
  }

  /** From now on texts are kept for this entry. @param serial its number in that ring */
  begin(ring: number, serial: number): void {
    this.#ring = ring;
    this.#serial = serial;
  }

  /**
   * Keeps a text for the entry that is to name it.
   * @param known where it was kept before, if that is known
   * @returns undefined: there is no room for it
   */
  keep(text: string, known?: RepeatedText): RepeatedText | undefined {
    const kept = known === undefined || known.forgotten ? (this.#byText.get(text) ?? this.#added(text)) : known;
    if (kept !== undefined) kept.last[this.#ring] = this.#serial;
    return kept;
  }

  #added(text: string): RepeatedText | undefined {
    const bytes = sizeOf(text);
    if (this.#bytes + bytes > this.#maxBytes) {
      if (this.#refused === 0) this.#forget();
      if (this.#bytes + bytes > this.#maxBytes) {
        this.#refused = (this.#refused + 1) % TRIES_BETWEEN;
        return undefined;
      }
    }
    this.#places += 1;
    const made: RepeatedText = { place: this.#places, text, last: [0, 0], forgotten: false };
    this.#byText.set(text, made);
    this.#byPlace.set(made.place, made);
    this.#bytes += bytes;
    return made;
  }

  /** Those that no entry names any more. */
  #forget(): void {
    const oldest = this.#oldest();
    for (const kept of this.#byText.values()) {
      if (oldest.some((first, ring) => (kept.last[ring] ?? 0) >= first)) continue;
      kept.forgotten = true;
      this.#byText.delete(kept.text);
      this.#byPlace.delete(kept.place);
      this.#bytes -= sizeOf(kept.text);
    }
  }
}

function sizeOf(text: string): number {
  return PER_TEXT + 2 * text.length;
}
