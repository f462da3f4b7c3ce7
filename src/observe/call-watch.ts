import { Batch } from './batch.ts';
import type { BackendCallFacts, CallWatch, Denial } from './call-facts.ts';

interface CallRoomLimits {
  /** Calls to backends whose facts wait for the end of their request, over all requests under way. */
  readonly maxCalls: number;
  readonly maxBytes: number;
}

/** Asks for containers whose names clients choose. In Cloud Storage these may be another customer's, who denies it. */
const PROBE = 'headContainer';

const DEFAULT_CALL_ROOM: CallRoomLimits = { maxCalls: 50_000, maxBytes: 16 * 1024 * 1024 };

/** The calls of a process: bounded room for their facts, and the observers that count them. */
export class BackendCalls implements CallWatch {
  readonly #limits: CallRoomLimits;
  readonly #listeners: ((call: BackendCallFacts) => void)[] = [];
  readonly #denialListeners: ((denial: Denial) => void)[] = [];
  readonly #ended = new Batch<BackendCallFacts>((all) => this.#tellOfEnded(all));
  #calls = 0;
  #bytes = 0;
  #withoutRoom = 0;
  readonly behind: CallWatch = {
    takeRoom: () => false,
    giveRoomBack: () => undefined,
    callEnded: (call) => this.callEnded(call),
    denied: (denial) => this.denied(denial),
    get behind() {
      return this;
    },
  };

  constructor(limits: CallRoomLimits = DEFAULT_CALL_ROOM) {
    this.#limits = limits;
  }

  /** Calls whose facts are kept at the moment, their bytes, and how many found no room since the start. */
  get room(): { readonly calls: number; readonly bytes: number; readonly withoutRoom: number } {
    return { calls: this.#calls, bytes: this.#bytes, withoutRoom: this.#withoutRoom };
  }

  /** @param listener told of calls that have ended, a moment later; must not throw */
  onCall(listener: (call: BackendCallFacts) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * @param listener told at once of what a backend denies the gateway itself, but for names that clients try; must not
   * throw
   */
  onDenial(listener: (denial: Denial) => void): void {
    this.#denialListeners.push(listener);
  }

  /** From now on listeners have heard of all calls that have ended. */
  flush(): void {
    this.#ended.flush();
  }

  takeRoom(bytes: number): boolean {
    if (this.#calls >= this.#limits.maxCalls || this.#bytes + bytes > this.#limits.maxBytes) {
      this.#withoutRoom += 1;
      return false;
    }
    this.#calls += 1;
    this.#bytes += bytes;
    return true;
  }

  giveRoomBack(calls: number, bytes: number): void {
    this.#calls -= calls;
    this.#bytes -= bytes;
  }

  callEnded(call: BackendCallFacts): void {
    if (this.#listeners.length > 0) this.#ended.add(call);
  }

  denied(denial: Denial): void {
    if (denial.operation === PROBE) return;
    for (const listener of this.#denialListeners) listener(denial);
  }

  #tellOfEnded(all: readonly BackendCallFacts[]): void {
    for (const listener of this.#listeners) for (const call of all) listener(call);
  }
}
