import { keepNewest } from './bounded-map.ts';
import type { Denial } from './call-facts.ts';
import type { Log } from './log.ts';

/** One that is denied is denied to every request: a line for each would be a flood. Milliseconds. */
const TELL_EVERY_MS = 60_000;
/** Backends, calls and codes that are told apart. */
const MOST_KINDS = 256;

interface Told {
  at: number;
  /** Since it was told. */
  times: number;
}

/**
 * Tells the operator that a backend denies the gateway itself what it needs: a permission is missing, or a policy or
 * hold of the cloud's own protects a blob. Clients cannot mend it. Each kind of denial is told once a minute.
 */
export class Denials {
  readonly #log: Log;
  readonly #now: () => number;
  readonly #told = new Map<string, Told>();

  constructor(log: Log, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  readonly denied = ({ system, operation, status, code, backendRequestId }: Denial): void => {
    const kind = `${system} ${operation} ${code ?? ''}`;
    const told = this.#told.get(kind) ?? { at: Number.NEGATIVE_INFINITY, times: 0 };
    told.times += 1;
    if (this.#now() - told.at >= TELL_EVERY_MS) {
      const fields = { backend: system, call: operation, status, code, backendRequestId, denied: told.times };
      this.#log.error(fields, "the gateway's own identity may not do this in the backend");
      told.at = this.#now();
      told.times = 0;
    }
    keepNewest(this.#told, kind, told, MOST_KINDS);
  };
}
