import { Batch } from './batch.ts';
import type { Log } from './log.ts';
import type { RequestFacts, RequestObserver } from './request-facts.ts';

/** All observers of a process. One that fails harms neither the request nor the others. */
export class RequestObservers {
  readonly #log: Log;
  readonly #observers: RequestObserver[] = [];
  readonly #faulty = new WeakSet<RequestObserver>();
  readonly #ended = new Batch<RequestFacts>((all) => this.#tellOfEnded(all));

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
    for (const observer of this.#observers) {
      try {
        observer.begun?.(facts);
      } catch (error) {
        this.#failed(observer, { event: 'begun', facts, error });
      }
    }
  }

  /** Observers hear of it a moment later, of many requests at a time; at once with `flush`. */
  ended(facts: RequestFacts): void {
    if (this.#observers.length > 0) this.#ended.add(facts);
  }

  /** From now on they have heard of all requests that have ended: whoever asks them for anything calls this first. */
  flush(): void {
    this.#ended.flush();
  }

  #tellOfEnded(all: readonly RequestFacts[]): void {
    for (const observer of this.#observers) {
      for (const facts of all) {
        try {
          observer.ended?.(facts);
        } catch (error) {
          this.#failed(observer, { event: 'ended', facts, error });
        }
      }
    }
  }

  /** A fault is logged once per observer: it would come with every request. */
  #failed(
    observer: RequestObserver,
    { event, facts, error }: { readonly event: string; readonly facts: RequestFacts; readonly error: unknown },
  ): void {
    if (this.#faulty.has(observer)) return;
    this.#faulty.add(observer);
    this.#log.error({ requestId: facts.head.requestId, err: error }, `an observer of requests failed (${event})`);
  }
}
