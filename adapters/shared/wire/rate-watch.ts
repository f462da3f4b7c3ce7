/**
 * The least rate of a body, averaged over an interval in which its reader wanted bytes all the time. Bytes a second.
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
 * Ends bodies that trickle: one byte now and then keeps within every limit of silence. Time in which the reader itself
 * was slow does not count against the peer.
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
