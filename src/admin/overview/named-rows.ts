import type { RowName } from './contract.ts';
import type { TimeRing } from './time-ring.ts';

/** Names that a table tells apart; all others share one more row. */
export const PLACES = 32;
/** Longest name, or part of one, in UTF-16 code units; the rest of it is cut off. */
const MAX_NAME = 128;

/** What a row counts. */
export const ROW_FIELDS = ['requests', 'failures', 'slow', 'bytesIn', 'bytesOut', 'ownMs'] as const;
const FIELDS = ROW_FIELDS.length;
/** Counters that a table has in each slice of a ring. */
export const TABLE_WIDTH = (PLACES + 1) * FIELDS;
/** Of the row of all names without a place. */
const OTHERS = PLACES;

interface NamedRowsOptions<Counted> {
  /** What the row of such a thing is called; asked for when it gets a place. */
  readonly nameOf: (counted: Counted) => RowName;
  /** The rings that have the counters, each with the index of this table's first one in a slice. */
  readonly rings: readonly TimeRing[];
  readonly offset: number;
  /** From 0 to below 1. */
  readonly random?: () => number;
}

/**
 * A table of counters by name, of a fixed number of names, whatever clients call things. A name that comes often gets a
 * place: it takes that of the rarest name with a probability of one to that name's weight (a randomized admission
 * policy: Ben Basat et al., "Randomized Admission Policy for Efficient Top-k and Frequency Estimation", 2017). The
 * counters of a name that loses its place go to the row of the others. So the sum of a table is exact at any time, and
 * a row may lack what came before it had its place, but never has too much.
 */
export class NamedRows<Counted> {
  readonly #nameOf: (counted: Counted) => RowName;
  readonly #rings: readonly TimeRing[];
  readonly #offset: number;
  readonly #random: () => number;
  readonly #places = new Map<string, number>();
  readonly #keys: string[] = [];
  readonly #names: RowName[] = [];
  readonly #weights = new Float64Array(PLACES);

  constructor({ nameOf, rings, offset, random = Math.random }: NamedRowsOptions<Counted>) {
    this.#nameOf = nameOf;
    this.#rings = rings;
    this.#offset = offset;
    this.#random = random;
  }

  /** Names with a place, and the others (`null`), each with the index of its first counter in a slice. */
  *rows(): Generator<readonly [name: RowName | null, at: number]> {
    for (const [place, name] of this.#names.entries()) yield [name, this.#cellsOf(place)];
    yield [null, this.#cellsOf(OTHERS)];
  }

  /**
   * Finds the row that something counts in.
   * @param key tells names apart; of clipped names
   * @param mayEnter whether its name may take a place that it does not have
   * @returns index of the row's first counter in a slice
   */
  rowOf(key: string, counted: Counted, mayEnter: boolean): number {
    const known = this.#places.get(key);
    if (known === undefined) return this.#cellsOf(mayEnter ? this.#admit(key, counted) : OTHERS);
    this.#weights[known] = (this.#weights[known] ?? 0) + 1;
    return this.#cellsOf(known);
  }

  /** From time to time: what came long ago weighs less, so that new names find places. */
  age(): void {
    for (const [place, weight] of this.#weights.entries()) this.#weights[place] = weight / 2;
  }

  #cellsOf(place: number): number {
    return this.#offset + place * FIELDS;
  }

  #admit(key: string, counted: Counted): number {
    const free = this.#keys.length;
    if (free < PLACES) return this.#give(free, key, counted);
    const rarest = this.#rarest();
    const weight = this.#weights[rarest] ?? 0;
    if (this.#random() * (weight + 1) >= 1) return OTHERS;
    this.#vacate(rarest);
    return this.#give(rarest, key, counted);
  }

  #give(place: number, key: string, counted: Counted): number {
    this.#keys[place] = ownText(key);
    this.#names[place] = Object.fromEntries(
      Object.entries<string>(this.#nameOf(counted)).map(([part, text]) => [part, ownText(text)]),
    );
    this.#weights[place] = (this.#weights[place] ?? 0) + 1;
    this.#places.set(this.#keys[place], place);
    return place;
  }

  #rarest(): number {
    let rarest = 0;
    for (let place = 1; place < PLACES; place += 1) {
      if ((this.#weights[place] ?? 0) < (this.#weights[rarest] ?? 0)) rarest = place;
    }
    return rarest;
  }

  /** Its counters go to the others, slice by slice. */
  #vacate(place: number): void {
    this.#places.delete(this.#keys[place] ?? '');
    const [from, to] = [this.#cellsOf(place), this.#cellsOf(OTHERS)];
    for (const ring of this.#rings) {
      const { cells } = ring;
      for (const start of ring.starts()) {
        for (let field = 0; field < FIELDS; field += 1) {
          cells[start + to + field] = (cells[start + to + field] ?? 0) + (cells[start + from + field] ?? 0);
          cells[start + from + field] = 0;
        }
      }
    }
  }
}

/** What a name is known by: clients choose how long some of them are. */
export function clippedName(name: string): string {
  return name.length <= MAX_NAME ? name : name.slice(0, MAX_NAME);
}

/** A piece of a long text keeps all of it in memory: a text of its own does not. */
function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
