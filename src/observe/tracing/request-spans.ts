import { type Attributes, type HrTime, SpanKind, type SpanStatus, SpanStatusCode } from '@opentelemetry/api';
import type { TimedEvent } from '@opentelemetry/sdk-trace';
import { newSpanId } from '../random-id.ts';
import { redactError } from '../redact-error.ts';
import type { BackendCallFacts, Failure } from '../call-facts.ts';
import type { RequestFacts } from '../request-facts.ts';
import { backendAttributes, operationAttributes, requestAttributes, routeOf, shownMethod } from './span-attributes.ts';
import type { SpanRecord } from './span-record.ts';

/** What a backend answers in the course of ordinary work: its span is no error. */
const ORDINARY: ReadonlySet<string> = new Set([
  'ok',
  'notFound',
  'conditionFailed',
  'containerExists',
  'containerNotFound',
]);

interface SpanParts {
  readonly name: string;
  readonly kind: SpanKind;
  readonly spanId: string;
  readonly parent: { readonly spanId: string; readonly isRemote?: boolean } | undefined;
  readonly start: number;
  readonly end: number;
  readonly status?: SpanStatus;
  readonly attributes: Attributes;
  readonly events?: TimedEvent[];
}

/**
 * The spans of one request that has ended: server span, below it the S3 operation, below that every call to a backend
 * whose facts were kept. They are made here and not while the request runs: one that nobody exports costs nothing more.
 */
export function requestSpans(facts: RequestFacts): SpanRecord[] {
  const { spanId, parentSpanId } = facts.trace;
  if (spanId === undefined) return [];
  const make = spanMaker(facts);
  const operationId = newSpanId();
  const server = make({
    name: nameOf(facts),
    kind: SpanKind.SERVER,
    spanId,
    parent: parentSpanId === undefined ? undefined : { spanId: parentSpanId, isRemote: true },
    start: facts.arrived,
    end: endOf(facts),
    ...(facts.status >= 500 && { status: errorStatus(facts.failure) }),
    attributes: requestAttributes(facts),
  });
  const operation = make({
    name: `S3 ${facts.operation}`,
    kind: SpanKind.INTERNAL,
    spanId: operationId,
    parent: { spanId },
    start: facts.authenticated ?? facts.arrived,
    end: endOf(facts),
    ...(facts.status >= 500 && { status: errorStatus(facts.failure) }),
    attributes: operationAttributes(facts),
    ...(facts.failure !== undefined && { events: [exceptionEvent(facts.failure, hrTime(facts, endOf(facts)))] }),
  });
  return [server, operation, ...facts.backend.map((call) => make(backendSpan(facts, call, operationId)))];
}

function backendSpan(facts: RequestFacts, call: BackendCallFacts, operationId: string): SpanParts {
  const end = call.ended ?? endOf(facts);
  return {
    name: `${call.system} ${call.operation}`,
    kind: SpanKind.CLIENT,
    spanId: call.spanId ?? newSpanId(),
    parent: { spanId: operationId },
    start: call.started,
    end,
    ...(!ORDINARY.has(call.outcome) && { status: errorStatus(call.failure) }),
    attributes: backendAttributes(call),
    ...(call.failure !== undefined &&
      !ORDINARY.has(call.outcome) && { events: [exceptionEvent(call.failure, hrTime(facts, end))] }),
  };
}

/** https://opentelemetry.io/docs/specs/semconv/http/http-spans/#name */
function nameOf(facts: RequestFacts): string {
  const route = routeOf(facts);
  return route === undefined ? shownMethod(facts.head.method) : `${shownMethod(facts.head.method)} ${route}`;
}

function spanMaker(facts: RequestFacts): (parts: SpanParts) => SpanRecord {
  const { traceId } = facts.trace;
  return ({ name, kind, spanId, parent, start, end, status, attributes, events }) => ({
    traceId,
    spanId,
    parent: parent && { spanId: parent.spanId, isRemote: parent.isRemote ?? false },
    name,
    kind,
    startTime: hrTime(facts, start),
    endTime: hrTime(facts, end),
    duration: toHrTime(Math.max(0, end - start)),
    status: status ?? { code: SpanStatusCode.UNSET },
    attributes,
    events: events ?? [],
  });
}

function errorStatus(failure: Failure | undefined): SpanStatus {
  return failure === undefined
    ? { code: SpanStatusCode.ERROR }
    : { code: SpanStatusCode.ERROR, message: redactError(failure).message };
}

/** https://opentelemetry.io/docs/specs/semconv/exceptions/exceptions-spans/, with the causes behind the message. */
function exceptionEvent(failure: Failure, time: HrTime): TimedEvent {
  const { type, message, cause } = redactError(failure);
  const messages = [message];
  for (let below = cause; below !== undefined; below = below.cause) messages.push(below.message);
  return {
    name: 'exception',
    time,
    attributes: { 'exception.type': type, 'exception.message': messages.join(' <- ') },
  };
}

function endOf(facts: RequestFacts): number {
  return facts.arrived + facts.durationMs;
}

/** Time of the wall clock at a time of the monotonic one. */
function hrTime({ head, arrived }: RequestFacts, at: number): HrTime {
  return toHrTime(head.arrivedAt + (at - arrived));
}

function toHrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
