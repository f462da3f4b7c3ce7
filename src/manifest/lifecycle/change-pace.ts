import type { Time } from '../records/time.ts';

/** Spreads changes over time, so that a first pass over an old bucket leaves room for clients. */
export class ChangePace {
  readonly #intervalMs: number;
  readonly #time: Pick<Time, 'monotonic' | 'sleep'>;
  #next = 0;

  /** @param perSecond changes */
  constructor(perSecond: number, time: Pick<Time, 'monotonic' | 'sleep'>) {
    this.#intervalMs = 1000 / perSecond;
    this.#time = time;
  }

  /** Waits for its turn. @throws the signal's AbortError */
  async turn(signal: AbortSignal): Promise<void> {
    const now = this.#time.monotonic();
    const at = Math.max(this.#next, now);
    this.#next = at + this.#intervalMs;
    if (at > now) await this.#time.sleep(at - now, signal);
  }
}
