import {
  type Attributes,
  type HrTime,
  type SpanContext,
  type SpanKind,
  type SpanStatus,
  TraceFlags,
} from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan, TimedEvent } from '@opentelemetry/sdk-trace';

/** A span that has ended, as plain data, which can be handed to another thread. */
export interface SpanRecord {
  readonly traceId: string;
  readonly spanId: string;
  readonly parent: { readonly spanId: string; readonly isRemote: boolean } | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startTime: HrTime;
  readonly endTime: HrTime;
  readonly duration: HrTime;
  readonly status: SpanStatus;
  readonly attributes: Attributes;
  readonly events: TimedEvent[];
}

const SCOPE = { name: 's3-cloud-gateway' };

/** The span in the form that processors and exporters of the SDK take. @param resource what it is a span of */
export function readableSpan({ traceId, spanId, parent, ...rest }: SpanRecord, resource: Resource): ReadableSpan {
  const context = sampledContext(traceId, spanId);
  return {
    ...rest,
    spanContext: () => context,
    ...(parent !== undefined && {
      parentSpanContext: { ...sampledContext(traceId, parent.spanId), isRemote: parent.isRemote },
    }),
    links: [],
    ended: true,
    resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Whatever is exported counts as sampled: the exporter lets nothing else through. */
function sampledContext(traceId: string, spanId: string): SpanContext {
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
}
