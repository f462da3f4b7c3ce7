import { isNotable } from '../notable.ts';
import type { RequestFacts, RequestObserver } from '../request-facts.ts';
import { requestSpans } from './request-spans.ts';
import type { SpanRecord } from './span-record.ts';

/** Takes the spans of requests that have ended, those of one request at a time. */
export interface SpanSink {
  add(spans: readonly SpanRecord[]): void;
}

interface SpanExportOptions {
  readonly sink: SpanSink;
  /** Requests that the sampler left out are exported all the same when they failed or were slow. */
  readonly keepNotable: boolean;
  /** Time of our own from which a request counts as slow, milliseconds. */
  readonly slowMs: number;
  /** Monotonic clock, milliseconds. */
  readonly now?: () => number;
}

/**
 * Of strangers' notable requests one in so long, milliseconds: whoever may fail at will would else decide what is
 * exported.
 */
const STRANGER_EVERY_MS = 1000;

/**
 * Makes spans of the requests that are to be exported. Until a request ends, its facts are what waits: bounded per
 * request and, by `CallWatch`, over all of them. What went to the backends says what the sampler decided at the
 * beginning.
 */
export class SpanExport implements RequestObserver {
  readonly #options: SpanExportOptions;
  #strangerAt = -Infinity;

  constructor(options: SpanExportOptions) {
    this.#options = options;
  }

  ended(facts: RequestFacts): void {
    if (!facts.trace.sampled && !this.#isKept(facts)) return;
    this.#options.sink.add(requestSpans(facts));
  }

  #isKept(facts: RequestFacts): boolean {
    const { keepNotable, slowMs } = this.#options;
    return (
      keepNotable && isNotable(facts, slowMs) && (facts.auth?.identity?.kind === 'account' || this.#takesStranger())
    );
  }

  /** Anonymous requests, and those that did not prove who sent them. */
  #takesStranger(): boolean {
    const now = (this.#options.now ?? performance.now.bind(performance))();
    if (now - this.#strangerAt < STRANGER_EVERY_MS) return false;
    this.#strangerAt = now;
    return true;
  }
}
