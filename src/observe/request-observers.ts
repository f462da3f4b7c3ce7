import type { Log } from './log.ts';
import type { RequestFacts, RequestObserver } from './request-facts.ts';

/** All observers of a process. One that fails harms neither the request nor the others. */
export class RequestObservers {
  readonly #log: Log;
  readonly #observers: RequestObserver[] = [];
  readonly #faulty = new WeakSet<RequestObserver>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Also while requests run: of those it may see the end only. @returns takes it off again */
  add(observer: RequestObserver): () => void {
    this.#observers.push(observer);
    return () => {
      const at = this.#observers.indexOf(observer);
      if (at >= 0) this.#observers.splice(at, 1);
    };
  }

  begun(facts: RequestFacts): void {
    for (const observer of this.#observers) this.#tell(observer, 'begun', facts);
  }

  ended(facts: RequestFacts): void {
    for (const observer of this.#observers) this.#tell(observer, 'ended', facts);
  }

  /** A fault is logged once per observer: it would come with every request. */
  #tell(observer: RequestObserver, event: 'begun' | 'ended', facts: RequestFacts): void {
    try {
      observer[event]?.(facts);
    } catch (error) {
      if (this.#faulty.has(observer)) return;
      this.#faulty.add(observer);
      this.#log.error({ requestId: facts.head.requestId, err: error }, `an observer of requests failed (${event})`);
    }
  }
}
