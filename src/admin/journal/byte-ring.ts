/** Before a record's text: its length, its time. Behind it: its length once more, so that one can walk backwards. */
const TIME_AT = 4;
const TEXT_AT = TIME_AT + 8;
const OVERHEAD = TEXT_AT + 4;

/** Of UTF-8, per UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;
const SCRATCH_BYTES = 64 * 1024;
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

/** One record's place; it may have been overwritten since. */
interface RingPlace {
  readonly time: number;
  readonly start: number;
  readonly serial: number;
}

/**
 * The newest texts that fit into so many bytes. All of it lies in one block outside the JavaScript heap: what it costs
 * is known beforehand, and nothing in it is ever looked at by the garbage collector.
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

  /** The number that the next record will have, counted from 1. */
  get next(): number {
    return this.#written + 1;
  }

  /** The number of the first record that is still there. */
  get oldest(): number {
    return this.#written - this.#count + 1;
  }

  /** In use, overhead included. */
  get usedBytes(): number {
    return this.#lapEnd === undefined ? this.#head - this.#tail : this.#lapEnd - this.#tail + this.#head;
  }

  /**
   * Pushes out as many of the oldest as it takes.
   * @param limit most bytes of the text
   * @returns false when the text is longer than that, or too long for the whole ring
   */
  append(time: number, text: string, limit = this.capacity): boolean {
    // Encoded first and copied then: to find out how long it will be takes as long as to encode it.
    const ahead = text.length * MAX_BYTES_PER_UNIT <= SCRATCH_BYTES;
    const length = ahead ? scratch.write(text, 'utf8') : Buffer.byteLength(text);
    const size = length + OVERHEAD;
    if (length > limit || size > this.capacity) return false;
    const start = this.#makeRoom(size);
    this.#bytes.writeUInt32LE(length, start);
    this.#bytes.writeDoubleLE(time, start + TIME_AT);
    if (ahead) scratch.copy(this.#bytes, start + TEXT_AT, 0, length);
    else this.#bytes.write(text, start + TEXT_AT, 'utf8');
    this.#bytes.writeUInt32LE(length, start + TEXT_AT + length);
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
    return this.#bytes.toString('utf8', start + TEXT_AT, start + TEXT_AT + this.#bytes.readUInt32LE(start));
  }

  /** The newest text that begins so. */
  find(beginning: string): string | undefined {
    const wanted = Buffer.from(beginning);
    const place = this.places().find(({ start }) => {
      const text = start + TEXT_AT;
      return this.#bytes.compare(wanted, 0, wanted.length, text, Math.min(text + wanted.length, this.capacity)) === 0;
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
