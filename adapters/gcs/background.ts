import type { Call } from '../../src/observe/call.ts';

/** What work in the background may take before `close` gives it up, in milliseconds. */
const CLOSE_GRACE = 2_000;

/**
 * Cleans up in the background. No client waits for this work, and it may fail: a later `discardParts` finds what it
 * leaves.
 */
export class Background {
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<void>>();

  run(call: Call, work: (call: Call) => Promise<unknown>): void {
    const own: Call = { ...call, signal: this.#closing.signal, facts: call.facts.apart() };
    const done: Promise<void> = work(own)
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  async close(): Promise<void> {
    const timer = setTimeout(() => this.#closing.abort(new Error('closed')), CLOSE_GRACE);
    await Promise.all(this.#running);
    clearTimeout(timer);
    this.#closing.abort(new Error('closed'));
  }
}
