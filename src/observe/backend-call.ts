import type { Call } from './call.ts';
import { newSpanId } from './random-id.ts';
import type { BackendCallFacts, Failure } from './call-facts.ts';
import { formatTraceparent } from './trace-context.ts';

interface BackendAttempt {
  /** `azure`, `gcs`, ... */
  readonly system: string;
  /** Port method, e.g. `write`. */
  readonly operation: string;
  /** HTTP method. */
  readonly method: string;
  /** Percent-encoded, without query. */
  readonly path: string | undefined;
  /** 1 for the first time the call is sent. */
  readonly attempt: number;
  /** Bytes that go to the service. */
  readonly bytesSent: number;
}

interface BackendAnswer {
  readonly status: number;
  /** The service's own id of the request, for its support. */
  readonly requestId: string | undefined;
  /** Bytes that the service announces, if it does. */
  readonly bytesReceived: number;
}

/**
 * One call to a backend, noted among the facts of what it is made for. Ends with `answered` or `failed`, exactly one of
 * them.
 */
export class BackendCall {
  readonly #call: Call;
  readonly #facts: BackendCallFacts;

  constructor(call: Call, attempt: BackendAttempt) {
    this.#call = call;
    this.#facts = {
      system: attempt.system,
      operation: attempt.operation,
      method: attempt.method,
      path: attempt.path,
      spanId: call.facts.trace.spanId === undefined ? undefined : newSpanId(),
      attempt: attempt.attempt,
      started: performance.now(),
      bytesSent: attempt.bytesSent,
      ended: undefined,
      status: undefined,
      bytesReceived: 0,
      backendRequestId: undefined,
      outcome: 'pending',
      failure: undefined,
    };
    call.facts.callBegan(this.#facts);
  }

  /** `performance.now()` of the moment it was made. */
  get started(): number {
    return this.#facts.started;
  }

  /**
   * Headers that tell the service the trace, when there is one. No signature covers them.
   * @param headers names and values in turn
   */
  addTraceHeaders(headers: string[]): void {
    const { spanId } = this.#facts;
    const { trace } = this.#call.facts;
    if (spanId === undefined) return;
    headers.push('traceparent', formatTraceparent(trace, spanId));
    if (trace.traceState !== undefined) headers.push('tracestate', trace.traceState);
  }

  /** The head of the answer is there. `error` when the answer is a failure of the call. */
  answered(answer: BackendAnswer, error?: Failure): void {
    const facts = this.#facts;
    facts.status = answer.status;
    facts.bytesReceived = answer.bytesReceived;
    facts.backendRequestId = answer.requestId;
    this.#end(error);
  }

  /** No answer came. */
  failed(error: Failure): void {
    this.#end(error);
  }

  #end(error: Failure | undefined): void {
    const facts = this.#facts;
    facts.ended = performance.now();
    facts.outcome = error === undefined ? 'ok' : (error.kind ?? 'unexpected');
    facts.failure = error;
    this.#call.facts.callEnded(facts);
  }
}
