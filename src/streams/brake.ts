/** What moves bytes, and stops when it is told to. */
interface Flow {
  pause(): void;
  /** Called when nothing holds the flow any more. */
  resume(): void;
}

/**
 * Holds a flow of bytes as long as there is a reason to: its reader has enough, other bodies go first. It goes on when
 * the last reason has gone.
 */
export class Brake<Reason extends string> {
  readonly #flow: Flow;
  /** Since when each holds the flow, by the monotonic clock. */
  readonly #since = new Map<Reason, number>();
  #released = false;

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  isHeld(reason: Reason): boolean {
    return this.#since.has(reason);
  }

  /** For how long this reason has held the flow, milliseconds; 0: it does not. */
  heldFor(reason: Reason): number {
    const since = this.#since.get(reason);
    return since === undefined ? 0 : performance.now() - since;
  }

  hold(reason: Reason): void {
    if (this.#since.has(reason)) return;
    this.#since.set(reason, performance.now());
    if (this.#since.size === 1 && !this.#released) this.#flow.pause();
  }

  release(reason: Reason): void {
    if (this.#since.delete(reason) && this.#since.size === 0 && !this.#released) this.#flow.resume();
  }

  /** From now on the flow is somebody else's: it is neither stopped nor sent on. */
  letGo(): void {
    this.#released = true;
  }
}
