import { vi } from 'vitest';

/** A clock whose timers tests let run, one for all processes. */
export class ManualTime {
  elapsed = 0;
  readonly #timers: { at: number; work: () => void }[] = [];

  readonly time = {
    now: () => Date.now(),
    monotonic: () => this.elapsed,
    sleep: async () => undefined,
    timeout: (ms: number) => {
      const over = new AbortController();
      this.time.after(ms, () => over.abort());
      return over.signal;
    },
    after: (ms: number, work: () => void) => {
      const timer = { at: this.elapsed + ms, work };
      this.#timers.push(timer);
      return () => void this.#timers.splice(this.#timers.indexOf(timer), 1);
    },
  };

  /** Lets time pass, and what was due then be done. */
  async pass(ms: number): Promise<void> {
    this.elapsed += ms;
    vi.setSystemTime(Date.now() + ms);
    for (const timer of this.#timers.filter(({ at }) => at <= this.elapsed)) {
      this.#timers.splice(this.#timers.indexOf(timer), 1);
      timer.work();
    }
    await new Promise((done) => setImmediate(done));
  }
}
