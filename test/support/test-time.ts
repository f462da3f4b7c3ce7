import type { Time } from '../../src/manifest/records/time.ts';

interface Alarm {
  readonly at: number;
  readonly ring: () => void;
  readonly isSleep?: boolean;
}

/** The time of one process, which only the test moves: both clocks together, or each by itself. */
export class TestTime implements Time {
  #wall = Date.UTC(2026, 0, 1);
  #monotonic = 0;
  #alarms: Alarm[] = [];

  readonly now = (): number => this.#wall;
  readonly monotonic = (): number => this.#monotonic;

  readonly after = (ms: number, work: () => void): (() => void) => {
    const alarm: Alarm = { at: this.#monotonic + ms, ring: work };
    this.#alarms.push(alarm);
    return () => {
      this.#alarms = this.#alarms.filter((other) => other !== alarm);
    };
  };

  readonly timeout = (ms: number): AbortSignal => {
    const controller = new AbortController();
    this.after(ms, () => controller.abort(new DOMException('timed out', 'TimeoutError')));
    return controller.signal;
  };

  readonly sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const alarm: Alarm = { at: this.#monotonic + ms, ring: resolve, isSleep: true };
      this.#alarms.push(alarm);
      const stop = (): void => {
        this.#alarms = this.#alarms.filter((other) => other !== alarm);
      };
      signal.addEventListener(
        'abort',
        () => {
          stop();
          reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
        },
        { once: true },
      );
    });

  /** Somebody sleeps, and does not only have a deadline. */
  get isAsleep(): boolean {
    return this.#alarms.some(({ isSleep }) => isSleep === true);
  }

  /** Whoever waits in it. */
  get sleepers(): number {
    return this.#alarms.length;
  }

  advance(ms: number): void {
    this.#wall += ms;
    this.#monotonic += ms;
    const due = this.#alarms.filter(({ at }) => at <= this.#monotonic);
    this.#alarms = this.#alarms.filter(({ at }) => at > this.#monotonic);
    for (const { ring } of due) ring();
  }

  /** Somebody sets the clock. */
  setWall(by: number): void {
    this.#wall += by;
  }
}
