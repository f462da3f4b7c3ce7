/**
 * Counters by slices of time, in memory that is taken once and never grows. The clock may step in either direction:
 * each place remembers the number of its slice, and its counters count for that slice only.
 */
export class TimeRing {
  readonly stepMs: number;
  /** Counters of all slices, one slice behind the other; `open` and `find` say where one begins. */
  readonly cells: Float64Array;
  readonly #slices: number;
  readonly #width: number;
  /** Number of the slice in each place; -1: none yet. */
  readonly #numbers: Float64Array;
  #current = -1;
  #start = 0;

  /** @param width counters of a slice */
  constructor(stepMs: number, slices: number, width: number) {
    this.stepMs = stepMs;
    this.#slices = slices;
    this.#width = width;
    this.cells = new Float64Array(slices * width);
    this.#numbers = new Float64Array(slices).fill(-1);
  }

  /** All memory of the counters. */
  get bytes(): number {
    return this.cells.byteLength + this.#numbers.byteLength;
  }

  /**
   * To count something. What lies in the place of another time is wiped.
   * @param time milliseconds since the epoch
   * @returns index in `cells` of the slice's first counter
   */
  open(time: number): number {
    const number = Math.floor(time / this.stepMs);
    if (number === this.#current) return this.#start;
    const place = number % this.#slices;
    const start = place * this.#width;
    if (this.#numbers[place] !== number) {
      this.cells.fill(0, start, start + this.#width);
      this.#numbers[place] = number;
    }
    this.#current = number;
    this.#start = start;
    return start;
  }

  /** To read. @returns as `open`; undefined: nothing was counted then, or it has been overwritten */
  find(time: number): number | undefined {
    const number = Math.floor(time / this.stepMs);
    const place = number % this.#slices;
    return this.#numbers[place] === number ? place * this.#width : undefined;
  }

  /** Where each slice begins that holds anything, whatever its time. */
  starts(): number[] {
    return [...this.#numbers.keys()].filter((place) => this.#numbers[place] !== -1).map((place) => place * this.#width);
  }
}
