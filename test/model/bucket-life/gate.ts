import type { BlobStore } from '../../../src/store/blob-store.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import { type PortCall, wrapStore } from '../../../src/store/wrap-store.ts';

/** What becomes of a call. `late`: its answer is lost, and it reaches the service when the schedule says so. */
export type Fate = 'pass' | 'loseAnswer' | 'loseRequest' | 'late';

/** A call to the backend that waits for the schedule. */
export interface Waiting {
  readonly process: string;
  readonly what: string;
  readonly isChange: boolean;
  /** On its way for long: everything else comes first. */
  isHeld: boolean;
  let(fate: Fate): void;
}

const CHANGES: ReadonlySet<string> = new Set([
  'createContainer',
  'removeContainer',
  'write',
  'setMetadata',
  'remove',
  'removeMany',
  'copy',
  'assemble',
]);

/** Where the calls of all processes wait, and what is still on its way to the service. */
export class Gate {
  waiting: Waiting[] = [];
  /** Requests whose senders have given up, in the order in which they were sent. */
  late: (() => Promise<unknown>)[] = [];
  readonly #dead = new Set<string>();

  /** A process's way to the store. */
  through(store: BlobStore, process: string): BlobStore {
    return wrapStore(store, (portCall, run) => this.#wait(portCall, process, run));
  }

  /** None of its calls is answered any more; those that wait were not sent. */
  kill(process: string): void {
    this.#dead.add(process);
    this.waiting = this.waiting.filter((waiting) => waiting.process !== process);
  }

  isDead(process: string): boolean {
    return this.#dead.has(process);
  }

  #wait<T>({ method, ref }: PortCall, process: string, run: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#dead.has(process)) return;
      const waiting: Waiting = {
        process,
        what: `${process} ${method} ${ref.container ?? ''}${ref.name === undefined ? '' : `/${ref.name}`}`,
        isChange: CHANGES.has(method),
        isHeld: false,
        let: (fate) => {
          this.waiting = this.waiting.filter((other) => other !== waiting);
          if (fate === 'pass') {
            run().then(resolve, reject);
            return;
          }
          const lost = (): void => reject(new StoreError('unavailable', { call: method, lost: true }));
          if (fate === 'late') this.late.push(() => run().catch(() => undefined));
          if (fate === 'loseAnswer') run().then(lost, lost);
          else lost();
        },
      };
      this.waiting.push(waiting);
    });
  }
}
