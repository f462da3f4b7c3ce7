/** The time of the service, and when it was asked on this machine's clock. Milliseconds since the epoch. */
export interface ClockReading {
  readonly sent: number;
  readonly received: number;
  /** In whole seconds, as HTTP has it. */
  readonly service: number;
}

/** A reading off an answer that was made anyway. */
interface AnswerClock extends ClockReading {
  /** Milliseconds between sending and answer, by the monotonic clock. */
  readonly elapsed: number;
}

/** Readings are this far apart at least, milliseconds: a clock does not run away faster, and parsing dates costs. */
const EVERY = 1_000;
/**
 * Where the two clocks of this machine differ by more, ours was set while the call was under way: the reading says
 * nothing.
 */
const MOST_DRIFT = 500;
/** HTTP dates are in whole seconds, cut off. */
const RESOLUTION = 1_000;

/** What answers of a service say of this machine's clock, by their `Date`. */
export class ServiceClock {
  #listener: ((skewMs: number) => void) | undefined;
  #next = 0;

  /** @param listener told how far our clock is ahead for certain (behind: negative); 0 when it may be right */
  onReading(listener: (skewMs: number) => void): void {
    this.#listener = listener;
  }

  /** Whether an answer that came now should be noted. @param now `performance.now()` */
  wants(now: number): boolean {
    return this.#listener !== undefined && now >= this.#next;
  }

  /** @param now `performance.now()` */
  note(reading: AnswerClock, now: number): void {
    if (Number.isNaN(reading.service) || Math.abs(reading.received - reading.sent - reading.elapsed) > MOST_DRIFT) {
      return;
    }
    this.#next = now + EVERY;
    this.#listener?.(certainSkew(reading));
  }
}

/** The answer was dated at some moment between sending and answer: only what is beyond that is certain. */
export function certainSkew({ sent, received, service }: ClockReading): number {
  const ahead = sent - (service + RESOLUTION);
  const behind = received - service;
  return ahead > 0 ? ahead : Math.min(0, behind);
}
