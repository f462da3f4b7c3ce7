import type { Call } from '../../observe/call.ts';

type Task = (call: Call) => Promise<void>;

/** How the work behind answers stands. */
export interface SettleBacklog {
  readonly queued: number;
  readonly running: number;
  /** Since the start: what found no room in the queue, and what failed. Both is left to the sweeper. */
  readonly dropped: number;
  readonly failed: number;
}

export interface TaskQueueOptions {
  /** Tasks at the same time. */
  readonly concurrency: number;
  /** Tasks waiting; more are dropped, which is harmless: readers follow the assembled, the sweeper settles it. */
  readonly maxQueue: number;
  readonly newCall: (name: string) => Call;
  /** Told of every task that failed for another reason than "another request changed the key". */
  readonly onError: (error: unknown, task: string, call: Call) => void;
}

/** Tasks by name, a few at a time: of those with one name only the last waits, and one runs. */
export class TaskQueue {
  readonly #options: TaskQueueOptions;
  readonly #queue = new Map<string, Task>();
  readonly #running = new Map<string, Promise<void>>();
  #closed = false;
  #dropped = 0;
  #failed = 0;

  constructor(options: TaskQueueOptions) {
    this.#options = options;
  }

  add(name: string, task: Task): void {
    // What waits already keeps its turn, and takes no more room.
    if (this.#closed || (this.#queue.size >= this.#options.maxQueue && !this.#queue.has(name))) {
      this.#dropped += 1;
      return;
    }
    this.#queue.set(name, task);
    this.#pump();
  }

  /** Resolves when nothing runs any more; nothing is queued then either, unless the queue is closed. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  /** Takes no more tasks, and waits for those that run. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.idle();
  }

  backlog(): SettleBacklog {
    return {
      queued: this.#queue.size,
      running: this.#running.size,
      dropped: this.#dropped,
      failed: this.#failed,
    };
  }

  #pump(): void {
    while (!this.#closed && this.#running.size < this.#options.concurrency) {
      const next = this.#firstIdle();
      if (next === undefined) return;
      this.#queue.delete(next[0]);
      this.#run(...next);
    }
  }

  #run(name: string, task: Task): void {
    const call = this.#options.newCall(name);
    const run = task(call)
      .catch((error: unknown) => {
        this.#failed += 1;
        this.#options.onError(error, name, call);
      })
      .finally(() => {
        this.#running.delete(name);
        this.#pump();
      });
    this.#running.set(name, run);
  }

  /** The first that waits and whose name does not run. Of those passed over there are at most as many as run. */
  #firstIdle(): readonly [name: string, task: Task] | undefined {
    for (const entry of this.#queue) if (!this.#running.has(entry[0])) return entry;
    return undefined;
  }
}
