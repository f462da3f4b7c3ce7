import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { hasFailed, type RequestFacts, type RequestObserver } from '../request-facts.ts';
import { requestSpans } from './request-spans.ts';

/** Takes ended spans: a span processor of the SDK. */
export interface SpanSink {
  onEnd(span: ReadableSpan): void;
}

export interface SpanExportOptions {
  readonly sink: SpanSink;
  readonly resource: Resource;
  /** Requests that the sampler left out are exported all the same when they failed or were slow. */
  readonly keepNotable: boolean;
  /** Time of our own from which a request counts as slow, milliseconds. */
  readonly slowMs: number;
}

/**
 * Makes spans of the requests that are to be exported. Until a request ends, its facts are what waits: bounded per request
 * and, by `CallWatch`, over all of them. What went to the backends says what the sampler decided at the beginning.
 */
export class SpanExport implements RequestObserver {
  readonly #options: SpanExportOptions;

  constructor(options: SpanExportOptions) {
    this.#options = options;
  }

  ended(facts: RequestFacts): void {
    if (!facts.trace.sampled && !this.#isNotable(facts)) return;
    for (const span of requestSpans(facts, this.#options.resource)) this.#options.sink.onEnd(span);
  }

  #isNotable(facts: RequestFacts): boolean {
    const { keepNotable, slowMs } = this.#options;
    return keepNotable && (hasFailed(facts) || facts.ownMs >= slowMs);
  }
}
