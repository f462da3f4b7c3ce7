import {
  type Context, isSpanContextValid, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace, TraceFlags,
} from '@opentelemetry/api';
import { newTraceId } from './random-id.ts';

const tracer = trace.getTracer('s3-cloud-gateway/gateway');
/** https://www.w3.org/TR/trace-context/: version, trace id, parent id, flags. Later versions may append. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

/** A span together with what the next ones need to become its children. */
export interface TraceScope {
  readonly span: Span;
  readonly context: Context;
  /** Of the span, of the caller, or fresh when nobody traces: log lines always have one. */
  readonly traceId: string;
}

/** The server span of one request, child of the caller's span when the header names one. */
export function startRequestSpan(method: string, traceparent: string | undefined): TraceScope {
  const parent = traceparent === undefined ? ROOT_CONTEXT : remoteParent(traceparent);
  const span = tracer.startSpan(method, { kind: SpanKind.SERVER }, parent);
  const spanContext = span.spanContext();
  if (!isSpanContextValid(spanContext)) return { span, context: parent, traceId: newTraceId() };
  return { span, context: trace.setSpan(parent, span), traceId: spanContext.traceId };
}

/** The span of the S3 operation inside a request. */
export function startOperationSpan(name: string, request: TraceScope): TraceScope {
  if (!request.span.isRecording()) return request;
  const span = tracer.startSpan(`S3 ${name}`, { kind: SpanKind.INTERNAL }, request.context);
  return { span, context: trace.setSpan(request.context, span), traceId: request.traceId };
}

/** Ends a span with the status of the answer; 5xx counts as an error, as the semantic conventions have it for servers. */
export function endSpan(scope: TraceScope, status: number, attributes: Readonly<Record<string, string | number>>): void {
  const { span } = scope;
  if (!span.isRecording()) return;
  span.setAttributes({ ...attributes, 'http.response.status_code': status });
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

function remoteParent(traceparent: string): Context {
  const match = TRACEPARENT.exec(traceparent.trim());
  const [, traceId, spanId, flags] = match ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const context = { traceId, spanId, traceFlags, isRemote: true };
  return isSpanContextValid(context) ? trace.setSpanContext(ROOT_CONTEXT, context) : ROOT_CONTEXT;
}
