const KIB = 1024;

/** A body that is no longer than this never waits, and neither do the first bytes of a longer one. */
export const SMALL_BODY = 256 * KIB;

/** Bytes of all large bodies together in one turn of the event loop, and of one of them beside others. */
interface Allowance {
  readonly perTurn: number;
  readonly share: number;
}

/**
 * When a body stops for its share. Downloads do while others wait. Uploads that are streamed do whenever there are
 * others: a client whose window has stayed small brings 64 KiB in a turn in which libuv reads 2 MiB from its neighbour.
 */
export type Stops = 'while others wait' | 'beside others';

/** While small requests are under way: one that comes meanwhile waits for about 2 ms. */
const BESIDE_SMALL: Allowance = { perTurn: 2048 * KIB, share: 512 * KIB };
/** Else: larger pieces cost less, and the first small request that comes still need not wait for long. */
const AMONG_THEMSELVES: Allowance = { perTurn: 16_384 * KIB, share: 4096 * KIB };
/** Of an upload beside others: four reads. */
const UPLOAD_SHARE = 256 * KIB;
/** Milliseconds after the last small request: its client will probably send another one. */
const LINGER_MS = 100;

interface PacerOptions {
  readonly besideSmall?: Allowance;
  readonly amongThemselves?: Allowance;
  /** Has something called when all sockets that have bytes were looked at. */
  readonly afterTurn?: (call: () => void) => void;
  /** Milliseconds. */
  readonly now?: () => number;
}

/**
 * Bounds what large bodies move in one turn of the event loop, so that small requests need not wait for all of them.
 * Left to itself, Node moves whatever a socket has before it looks at the next one: with 64 large bodies a turn takes
 * 20 to 50 ms, and a small request waits for several turns (docs/decisions/0039-turns-of-large-bodies.md).
 *
 * When the bytes of a turn are spent, each body that has moved some is told to stop, and so is one that has had its
 * share. It goes on when it is its turn: in
 * the order in which they stopped, in each turn as many as have a share in its bytes. A body by itself, and those that
 * their clients keep slow, never spend the bytes of a turn and never stop.
 */
export class BulkPacer {
  readonly #besideSmall: Allowance;
  readonly #amongThemselves: Allowance;
  readonly #afterTurn: (call: () => void) => void;
  readonly #now: () => number;
  /** In the order in which they go on. */
  readonly #waiting = new Set<PacedBody>();
  #small = 0;
  /** Bodies that have moved more than a small one and have not left. */
  #large = 0;
  #lastSmall = Number.NEGATIVE_INFINITY;
  /** Of the turn that is under way. */
  #allowance: Allowance;
  #spent = 0;
  #armed = false;

  constructor(options: PacerOptions = {}) {
    this.#besideSmall = options.besideSmall ?? BESIDE_SMALL;
    this.#amongThemselves = options.amongThemselves ?? AMONG_THEMSELVES;
    this.#allowance = this.#amongThemselves;
    this.#afterTurn = options.afterTurn ?? setImmediate;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Bodies that were told to stop, and not yet to go on. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** A request is under way of which nothing large is known. Must be followed by one `smallOver`. */
  smallBegan(): void {
    this.#small += 1;
    this.#allowance = this.#besideSmall;
  }

  /** @param turnedOut `large`: its answer is, so it was none that others should wait for */
  smallOver(turnedOut: 'small' | 'large'): void {
    this.#small -= 1;
    if (turnedOut === 'small') this.#lastSmall = this.#now();
  }

  /** @param onTurn called when the body may go on after `mayGoOn` has said no; never after `leave` */
  enter(onTurn: () => void, stops: Stops): PacedBody {
    return new PacedBody(this, onTurn, stops);
  }

  /** For `PacedBody`: it has turned out to be large. */
  join(): void {
    this.#large += 1;
  }

  /** For `PacedBody`. @param inRow bytes that it has moved since it began or was told to go on */
  spend(body: PacedBody, bytes: number, inRow: number): boolean {
    if (!this.#armed) this.#beginTurn();
    this.#spent += bytes;
    const { perTurn } = this.#allowance;
    const others = body.stops === 'beside others' ? this.#large - 1 : this.#waiting.size;
    if (this.#spent < perTurn && (inRow < this.#shareOf(body) || others === 0)) return true;
    this.#waiting.add(body);
    return false;
  }

  /** For `PacedBody` that has joined. */
  leave(body: PacedBody): void {
    this.#large -= 1;
    this.#waiting.delete(body);
  }

  #shareOf({ stops }: PacedBody): number {
    const { share } = this.#allowance;
    return stops === 'beside others' ? Math.min(share, UPLOAD_SHARE) : share;
  }

  #beginTurn(): void {
    this.#armed = true;
    this.#spent = 0;
    const beside = this.#small > 0 || this.#now() - this.#lastSmall < LINGER_MS;
    this.#allowance = beside ? this.#besideSmall : this.#amongThemselves;
    this.#afterTurn(this.#endTurn);
  }

  readonly #endTurn = (): void => {
    this.#armed = false;
    if (this.#waiting.size === 0) return;
    this.#beginTurn();
    let left = this.#allowance.perTurn;
    for (const body of this.#waiting) {
      if (left <= 0) break;
      left -= this.#shareOf(body);
      this.#waiting.delete(body);
      body.goOn();
    }
  };
}

/** One body's place among all that are being moved. */
export class PacedBody {
  readonly stops: Stops;
  readonly #pacer: BulkPacer;
  readonly #onTurn: () => void;
  #moved = 0;
  #inRow = 0;
  #isLarge = false;
  #left = false;

  constructor(pacer: BulkPacer, onTurn: () => void, stops: Stops) {
    this.#pacer = pacer;
    this.#onTurn = onTurn;
    this.stops = stops;
  }

  /**
   * To be asked after each read.
   * @param bytes that were read
   * @returns false: nothing more may be read until `onTurn` is called
   */
  mayGoOn(bytes: number): boolean {
    this.#moved += bytes;
    if (this.#moved <= SMALL_BODY || this.#left) return true;
    if (!this.#isLarge) this.#pacer.join();
    this.#isLarge = true;
    this.#inRow += bytes;
    return this.#pacer.spend(this, bytes, this.#inRow);
  }

  /** The body has ended, one way or the other. */
  leave(): void {
    if (this.#isLarge && !this.#left) this.#pacer.leave(this);
    this.#left = true;
  }

  /** For the pacer. */
  goOn(): void {
    this.#inRow = 0;
    this.#onTurn();
  }
}

/** Of this process: all bodies move through one event loop. */
export const bulkPacer = new BulkPacer();
