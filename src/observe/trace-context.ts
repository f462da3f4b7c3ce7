import { isSpanContextValid, type SpanContext, TraceFlags } from '@opentelemetry/api';
import { newSpanId, newTraceId } from './random-id.ts';
import type { TraceFacts } from './call-facts.ts';

/** https://www.w3.org/TR/trace-context/: version, trace id, parent id, flags. Later versions may append. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;
/** https://www.w3.org/TR/trace-context/#tracestate-limits; longer ones are dropped whole. */
const MAX_TRACE_STATE = 512;

/** Decides about a trace. @param parent the caller's span, if it named one and is known */
export type HeadSampler = (parent: SpanContext | undefined, traceId: string) => boolean;

/** The trace headers of a request, as they came. */
interface TraceHeaders {
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
}

/**
 * The place of a request in a trace: child of the caller's span when the headers name one, else the beginning of a
 * trace. Without a sampler nothing is traced, and the trace id, the caller's or a fresh one, ties log lines together
 * only.
 *
 * The caller's word on sampling does not count yet. Nor does the caller's trace id decide about sampling by ratio,
 * since it may have been chosen for that. Otherwise a stranger could have everything traced. See `believeCaller`.
 */
export function traceOf({ traceparent, tracestate }: TraceHeaders, sampler: HeadSampler | undefined): TraceFacts {
  const parent = traceparent === undefined ? undefined : parseTraceparent(traceparent);
  const traceId = parent?.traceId ?? newTraceId();
  return {
    traceId,
    spanId: sampler === undefined ? undefined : newSpanId(),
    parentSpanId: parent?.spanId,
    sampled: sampler?.(undefined, parent === undefined ? traceId : newTraceId()) ?? false,
    traceState:
      parent !== undefined && tracestate !== undefined && tracestate.length <= MAX_TRACE_STATE ? tracestate : undefined,
  };
}

/**
 * Called once the caller's signature is verified: the decision is made again, with the caller's span if the headers
 * name one.
 */
export function believeCaller(trace: TraceFacts, traceparent: string | undefined, sampler: HeadSampler): void {
  const parent = traceparent === undefined ? undefined : parseTraceparent(traceparent);
  if (parent !== undefined) trace.sampled = sampler(parent, parent.traceId);
}

/** @param spanId of the call that carries it */
export function formatTraceparent({ traceId, sampled }: TraceFacts, spanId: string): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

function parseTraceparent(traceparent: string): SpanContext | undefined {
  const [whole, version, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(traceparent.trim()) ?? [];
  if (whole === undefined || (version === '00' && traceparent.trim().length !== 55)) return undefined;
  const context: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
  };
  return isSpanContextValid(context) ? context : undefined;
}
