import type { Call } from '../../observe/call.ts';
import { withSignal } from '../../observe/call.ts';
import type { Time } from '../records/time.ts';
import { type LevelPlace, percentOf, settleLevel, TELLING_MS, type TellQuota } from './quota-levels.ts';
import type { QuotaScope } from './quota-scope.ts';

interface NoticesOptions {
  readonly tell: TellQuota;
  readonly time: Time;
  /** For what serves no request. */
  readonly newCall: () => Call;
  readonly onProblem: (error: unknown) => void;
}

interface OpenNotice {
  readonly place: LevelPlace;
  readonly scope: QuotaScope;
}

/** What is tried again waits so long: then a process that has died while it told is known to be dead. */
const AGAIN_MS = TELLING_MS + 1000;

/**
 * Tells the operator of quotas that this process has found used, beside requests and after them. What could not be told
 * is tried again until it is, or less is used.
 */
export class QuotaNotices {
  readonly #options: NoticesOptions;
  /** By the name of the level's record. */
  readonly #open = new Map<string, OpenNotice>();
  readonly #closed = new AbortController();
  #telling: Promise<void> | undefined;
  #cancelNext: (() => void) | undefined;

  constructor(options: NoticesOptions) {
    this.#options = options;
  }

  /** A level was reached, as far as this process knows. */
  reached(place: LevelPlace, scope: QuotaScope): void {
    this.#open.set(place.name, { place, scope });
    this.#start();
  }

  /** Ends what is under way; another process, or a pass, goes on with it. */
  async close(): Promise<void> {
    this.#closed.abort();
    this.#cancelNext?.();
    await this.#telling;
  }

  #start(): void {
    if (this.#closed.signal.aborted) return;
    this.#cancelNext?.();
    this.#cancelNext = undefined;
    this.#telling ??= this.#tellAll().finally(() => {
      this.#telling = undefined;
      if (this.#open.size === 0 || this.#closed.signal.aborted) return;
      this.#cancelNext = this.#options.time.after(AGAIN_MS, () => this.#start());
    });
  }

  async #tellAll(): Promise<void> {
    for (const [name, { place, scope }] of this.#open) {
      if (this.#closed.signal.aborted) return;
      if (await this.#tell(place, scope)) this.#open.delete(name);
    }
  }

  /** @returns whether the operator knows all there is to know */
  async #tell(place: LevelPlace, scope: QuotaScope): Promise<boolean> {
    const { tell, time, newCall, onProblem } = this.#options;
    const call = newCall();
    const own = withSignal(call, AbortSignal.any([call.signal, this.#closed.signal]));
    try {
      // Writes go on while it is told, and may reach the next level.
      for (;;) {
        const known = await settleLevel(place, scope, { tell, now: time.now(), isCounted: false }, own);
        if (known === undefined) return false;
        if (percentOf(scope) <= known) return true;
      }
    } catch (error) {
      if (!own.signal.aborted) onProblem(error);
      return false;
    }
  }
}
