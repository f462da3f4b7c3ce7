import { type Context, INVALID_SPAN_CONTEXT, ROOT_CONTEXT, type Span, type SpanOptions, SpanKind, trace, type Tracer } from '@opentelemetry/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newRequestId, newTraceId } from '../../../src/observe/random-id.ts';
import { endSpan, startOperationSpan, startRequestSpan } from '../../../src/observe/request-span.ts';

interface Recorded {
  readonly name: string;
  readonly kind: SpanKind | undefined;
  readonly parent: string | undefined;
  readonly attributes: Record<string, unknown>;
  failed: boolean;
  ended: boolean;
}

const recorded: Recorded[] = [];

/** As much of a tracer as the code under test uses. */
function startSpan(name: string, options: SpanOptions = {}, context: Context = ROOT_CONTEXT): Span {
  const parent = trace.getSpanContext(context);
  const entry: Recorded = { name, kind: options.kind, parent: parent?.spanId, attributes: {}, failed: false, ended: false };
  recorded.push(entry);
  const spanId = String(recorded.length).padStart(16, '0');
  const span = {
    spanContext: () => ({ traceId: parent?.traceId ?? 'f'.repeat(32), spanId, traceFlags: 1 }),
    isRecording: () => true,
    setAttributes: (attributes: object) => Object.assign(entry.attributes, attributes),
    setStatus: () => (entry.failed = true),
    end: () => (entry.ended = true),
  };
  return span as unknown as Span;
}

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('without a tracer', () => {
  test('the caller\'s trace id is kept, else one is made', () => {
    expect(startRequestSpan('GET', TRACEPARENT).traceId).toBe('4bf92f3577b34da6a3ce929d0e0e4736');
    expect(startRequestSpan('GET', undefined).traceId).toMatch(/^[0-9a-f]{32}$/);
  });

  test.each(['', '00-x', `ff${TRACEPARENT.slice(2)}`, TRACEPARENT.toUpperCase(), `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, `${TRACEPARENT}x`])(
    'a bad traceparent is ignored: %j',
    (traceparent) => {
      expect(startRequestSpan('GET', traceparent).traceId).toMatch(/^(?!4bf92f|0{32})[0-9a-f]{32}$/);
    },
  );

  test('the operation is no span of its own', () => {
    const request = startRequestSpan('GET', undefined);
    expect(startOperationSpan('GetObject', request)).toBe(request);
    expect(request.span.spanContext()).toEqual(INVALID_SPAN_CONTEXT);
  });
});

describe('with a tracer', () => {
  beforeAll(() => {
    trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) as unknown as Tracer });
  });

  afterAll(() => trace.disable());

  test('request and operation hang below the caller\'s span', () => {
    const request = startRequestSpan('GET', TRACEPARENT);
    const operation = startOperationSpan('GetObject', request);
    endSpan(operation, 404, { 'gateway.backend_calls': 1 });
    endSpan(request, 500, {});
    expect(operation.traceId).toBe('4bf92f3577b34da6a3ce929d0e0e4736');
    expect(recorded).toEqual([
      { name: 'GET', kind: SpanKind.SERVER, parent: '00f067aa0ba902b7', attributes: { 'http.response.status_code': 500 }, failed: true, ended: true },
      {
        name: 'S3 GetObject', kind: SpanKind.INTERNAL, parent: '0000000000000001', failed: false, ended: true,
        attributes: { 'http.response.status_code': 404, 'gateway.backend_calls': 1 },
      },
    ]);
  });
});

describe('ids', () => {
  test('have their form and do not repeat', () => {
    const ids = Array.from({ length: 5000 }, () => [newRequestId(), newTraceId()] as const);
    expect(new Set(ids.flat()).size).toBe(10_000);
    expect(ids.every(([request, traceId]) => /^[0-9A-Z]{16}$/.test(request) && /^[0-9a-f]{32}$/.test(traceId))).toBe(true);
  });
});
