import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../../src/observe/call.ts';
import { StoreError, isStoreError } from '../../src/store/store-error.ts';

interface HotNamesOptions {
  /** Milliseconds that all changes of one request may wait altogether, elsewhere included. */
  readonly wait: number;
  /** Milliseconds between two changes of one name. */
  readonly spacing: number;
}

/** A name whose changes came too fast: from now on they take turns. */
interface HotName {
  /** `performance.now()` from which on the next change may be sent. */
  next: number;
  spacing: number;
}

/** Other processes may be spacing their changes too: their turns shall not fall together with ours for ever. */
const JITTER = 0.25;
const MAX_SPACINGS = 8;

/**
 * Makes changes of one name take turns. The service takes one change a second of one object name and refuses more with
 * 429 (https://cloud.google.com/storage/docs/gcs429), but lets bursts pass. So changes go out as they come until one is
 * refused; then those of that name take turns, in the order in which they ask, each as long as its patience lasts. No
 * change is ever dropped or merged with another: a request that waits in vain gets an error.
 */
export class HotNames {
  readonly #options: HotNamesOptions;
  readonly #names = new Map<string, HotName>();

  constructor(options: HotNamesOptions) {
    this.#options = options;
  }

  /** Names that take turns at the moment. */
  get size(): number {
    return this.#names.size;
  }

  /**
   * @param again false: `work` can be done once only, because its body is a stream
   * @throws StoreError throttled, with the seconds to wait; and what `work` throws
   */
  async run<T>(name: string, again: boolean, call: Call, work: () => Promise<T>): Promise<T> {
    for (;;) {
      const inTurn = await this.#turn(name, call);
      try {
        const result = await work();
        this.#accepted(name);
        return result;
      } catch (error) {
        if (!isStoreError(error, 'throttled') || error.lost) throw error;
        this.#refused(name, inTurn);
        if (!again) throw this.#tooHot(name, error);
      }
    }
  }

  /**
   * Waits for a turn, if the name takes turns at all. @returns whether it does @throws StoreError throttled, aborted
   */
  async #turn(name: string, call: Call): Promise<boolean> {
    const hot = this.#names.get(name);
    if (hot === undefined) return false;
    const now = performance.now();
    const turn = Math.max(now, hot.next);
    const waited = call.facts.waitedMs + turn - now;
    if (waited > this.#options.wait) throw this.#tooHot(name, undefined);
    call.facts.waitedMs = waited;
    hot.next = turn + hot.spacing * (1 + Math.random() * JITTER);
    if (turn === now) return true;
    try {
      await sleep(turn - now, undefined, { signal: call.signal });
    } catch (cause) {
      throw new StoreError('aborted', { cause });
    }
    return true;
  }

  #accepted(name: string): void {
    const hot = this.#names.get(name);
    if (hot !== undefined) hot.spacing = this.#options.spacing;
  }

  /**
   * Only who was refused in spite of its turn shows that turns are too close: a burst that went out before there were
   * any says it once.
   */
  #refused(name: string, inTurn: boolean): void {
    const { spacing } = this.#options;
    const soonest = performance.now() + spacing;
    const known = this.#names.get(name);
    if (known === undefined) {
      const hot = { next: soonest, spacing };
      this.#names.set(name, hot);
      this.#forgetLater(name, hot);
    } else if (inTurn) {
      known.spacing = Math.min(known.spacing * 2, spacing * MAX_SPACINGS);
      known.next = Math.max(known.next, soonest);
    }
  }

  /** Forgets the name when its last turn and the pause after it have passed: its changes then go out at once again. */
  #forgetLater(name: string, hot: HotName): void {
    const left = hot.next - performance.now();
    if (left <= 0) this.#names.delete(name);
    else setTimeout(() => this.#forgetLater(name, hot), left + 1).unref();
  }

  #tooHot(name: string, cause: StoreError | undefined): StoreError {
    const left = (this.#names.get(name)?.next ?? 0) - performance.now();
    const retryAfter = Math.max(1, Math.ceil(left / 1000), cause?.detail.retryAfter ?? 0);
    return new StoreError('throttled', {
      ...cause?.detail,
      code: 'NameTooHot',
      retryAfter,
      ...(cause !== undefined && { cause }),
    });
  }
}
