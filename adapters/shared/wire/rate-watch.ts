/**
 * Bytes a second that a body comes with at least, averaged over an interval in which its reader wanted them all the
 * time.
 */
const LEAST_RATE = 256;

interface RateWatchOptions {
  /** Milliseconds over which the rate is averaged. */
  readonly interval: number;
  /** Whether the reader has held the body up since this was asked last. */
  readonly heldUp: () => boolean;
  readonly onSlow: () => void;
}

/**
 * Ends bodies that trickle: a byte now and then keeps every limit of silence. A reader that is slow itself is no fault
 * of the peer.
 */
export class RateWatch {
  readonly #options: RateWatchOptions;
  readonly #timer: NodeJS.Timeout;
  #bytes = 0;

  constructor(options: RateWatchOptions) {
    this.#options = options;
    options.heldUp();
    this.#timer = setInterval(() => this.#look(), options.interval).unref();
  }

  received(bytes: number): void {
    this.#bytes += bytes;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { interval, heldUp, onSlow } = this.#options;
    const slow = this.#bytes < (LEAST_RATE * interval) / 1000;
    this.#bytes = 0;
    if (!heldUp() && slow) onSlow();
  }
}
