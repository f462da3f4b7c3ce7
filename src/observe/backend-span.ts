import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Span } from '@opentelemetry/api';
import type { Call } from './call.ts';

const tracer = trace.getTracer('s3-cloud-gateway/backend');

export interface BackendAttempt {
  /** `azure`, `gcs`, ... */
  readonly system: string;
  /** Port method, e.g. `write`. */
  readonly operation: string;
  readonly method: string;
  /** 1 for the first time the call is sent. */
  readonly attempt: number;
  /** Bytes that go to the service. */
  readonly bytesSent: number;
}

export interface BackendAnswer {
  readonly status: number;
  /** The service's own id of the request, for its support. */
  readonly requestId: string | undefined;
  /** Bytes that the service announces, if it does. */
  readonly bytesReceived: number;
}

/**
 * One call to a backend: counts it in `call.facts` and traces it as a client span under `call.otel`.
 * Ends with `answered` or `failed`, exactly one of them.
 */
export interface BackendSpan {
  /** The head of the answer is there. `error` when the answer is a failure of the call. */
  answered(answer: BackendAnswer, error?: Error): void;
  /** No answer came. */
  failed(error: unknown): void;
}

const SILENT: BackendSpan = { answered: () => undefined, failed: () => undefined };

export function startBackendSpan(call: Call, attempt: BackendAttempt): BackendSpan {
  call.facts.backendCalls += 1;
  if (attempt.attempt > 1) call.facts.backendRetries += 1;
  const span = tracer.startSpan(`${attempt.system} ${attempt.operation}`, { kind: SpanKind.CLIENT }, call.otel);
  if (!span.isRecording()) return SILENT;
  span.setAttributes({
    'rpc.system': attempt.system,
    'rpc.method': attempt.operation,
    'http.request.method': attempt.method,
    'http.request.body.size': attempt.bytesSent,
    'backend.attempt': attempt.attempt,
    'gateway.request_id': call.requestId,
  });
  return recording(span);
}

function recording(span: Span): BackendSpan {
  return {
    answered(answer, error) {
      span.setAttribute('http.response.status_code', answer.status);
      span.setAttribute('http.response.body.size', answer.bytesReceived);
      if (answer.requestId !== undefined) span.setAttribute('backend.request_id', answer.requestId);
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
      span.end();
    },
    failed(error) {
      if (error instanceof Error) span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}
