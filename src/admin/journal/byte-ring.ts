/** Before an entry: its length, its time. Behind it: its length once more, so that one can walk back. */
const TIME_AT = 4;
const ENTRY_AT = TIME_AT + 8;
const OVERHEAD = ENTRY_AT + 4;

/** One record's place; it may have been overwritten since. */
interface RingPlace {
  readonly time: number;
  readonly start: number;
  readonly serial: number;
}

/**
 * The newest entries that fit into so many bytes. All of it lies in one block outside the JavaScript heap: what it
 * costs is known beforehand, and nothing in it is ever looked at by the garbage collector.
 */
export class ByteRing {
  readonly capacity: number;
  readonly #bytes: Buffer;
  /** Where the next record begins; where the oldest does. */
  #head = 0;
  #tail = 0;
  /** End of the earlier lap, as long as some of it is left; then the oldest record is part of that lap. */
  #lapEnd: number | undefined = undefined;
  #count = 0;
  #written = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.#bytes = Buffer.alloc(capacity);
  }

  get count(): number {
    return this.#count;
  }

  /** In use, overhead included. */
  get usedBytes(): number {
    return this.#lapEnd === undefined ? this.#head - this.#tail : this.#lapEnd - this.#tail + this.#head;
  }

  /**
   * Pushes out as many of the oldest as it takes.
   * @param entry a text, of which halves of pairs are not kept @param limit most bytes of it, as UTF-8
   * @returns false when it is longer than that, or too long for the whole ring
   */
  append(time: number, entry: string, limit = this.capacity): boolean {
    const length = Buffer.byteLength(entry);
    const size = length + OVERHEAD;
    if (length > limit || size > this.capacity) return false;
    const start = this.#makeRoom(size);
    this.#bytes.writeUInt32LE(length, start);
    this.#bytes.writeDoubleLE(time, start + TIME_AT);
    this.#bytes.write(entry, start + ENTRY_AT, length, 'utf8');
    this.#bytes.writeUInt32LE(length, start + ENTRY_AT + length);
    this.#head = start + size;
    this.#count += 1;
    this.#written += 1;
    return true;
  }

  /** In the order of `append`, newest first. */
  places(): RingPlace[] {
    const places: RingPlace[] = [];
    let end = this.#head;
    for (let serial = this.#written; places.length < this.#count; serial -= 1) {
      if (end === 0) end = this.#lapEnd ?? 0;
      const start = end - OVERHEAD - this.#bytes.readUInt32LE(end - 4);
      places.push({ time: this.#bytes.readDoubleLE(start + TIME_AT), start, serial });
      end = start;
    }
    return places;
  }

  /** @returns undefined when it has been pushed out meanwhile */
  read({ start, serial }: RingPlace): string | undefined {
    if (serial <= this.#written - this.#count) return undefined;
    const from = start + ENTRY_AT;
    return this.#bytes.toString('utf8', from, from + this.#bytes.readUInt32LE(start));
  }

  /** The newest entry that begins so. */
  find(beginning: string): string | undefined {
    const sought = Buffer.from(beginning);
    const place = this.places().find(({ start }) => {
      const from = start + ENTRY_AT;
      const end = Math.min(from + sought.length, this.capacity);
      return this.#bytes.compare(sought, 0, sought.length, from, end) === 0;
    });
    return place && this.read(place);
  }

  #makeRoom(size: number): number {
    if (this.#head + size > this.capacity) {
      while (this.#lapEnd !== undefined) this.#dropOldest();
      if (this.#count > 0) this.#lapEnd = this.#head;
      this.#head = 0;
    }
    while (this.#lapEnd !== undefined && this.#tail < this.#head + size) this.#dropOldest();
    if (this.#count === 0) this.#tail = this.#head;
    return this.#head;
  }

  #dropOldest(): void {
    this.#tail += OVERHEAD + this.#bytes.readUInt32LE(this.#tail);
    this.#count -= 1;
    if (this.#tail !== this.#lapEnd) return;
    this.#tail = 0;
    this.#lapEnd = undefined;
  }
}
