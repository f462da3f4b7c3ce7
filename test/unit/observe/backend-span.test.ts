import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Span, SpanOptions, Tracer } from '@opentelemetry/api';
import { afterAll, expect, test } from 'vitest';
import { startBackendSpan } from '../../../src/observe/backend-span.ts';
import { testCall } from '../../support/test-call.ts';

interface Recorded {
  readonly name: string;
  readonly kind: SpanKind | undefined;
  readonly attributes: Attributes;
  status: number;
  ends: number;
  exceptions: unknown[];
}

const recorded: Recorded[] = [];

/** As much of a tracer as the code under test uses. */
function startSpan(name: string, options: SpanOptions = {}): Span {
  const entry: Recorded = { name, kind: options.kind, attributes: {}, status: SpanStatusCode.UNSET, ends: 0, exceptions: [] };
  recorded.push(entry);
  const span: Span = {
    spanContext: () => ({ traceId: '1'.repeat(32), spanId: '1'.repeat(16), traceFlags: 1 }),
    setAttribute: (key, value) => span.setAttributes({ [key]: value }),
    setAttributes(attributes) {
      Object.assign(entry.attributes, attributes);
      return span;
    },
    setStatus({ code }) {
      entry.status = code;
      return span;
    },
    addEvent: () => span,
    addLink: () => span,
    addLinks: () => span,
    updateName: () => span,
    end: () => void (entry.ends += 1),
    isRecording: () => true,
    recordException: (exception) => void entry.exceptions.push(exception),
  };
  return span;
}

const tracer: Tracer = {
  startSpan,
  startActiveSpan() {
    throw new Error('not used');
  },
};

afterAll(() => {
  trace.disable();
});

const ATTEMPT = { system: 'azure', operation: 'write', method: 'PUT', attempt: 1, bytesSent: 10 };

test('calls and retries are counted, with or without a tracer', () => {
  const call = testCall();
  startBackendSpan(call, ATTEMPT).answered({ status: 201, requestId: 'id', bytesReceived: 0 });
  startBackendSpan(call, { ...ATTEMPT, attempt: 2 }).failed(new Error('reset'));
  expect(call.facts).toMatchObject({ backendCalls: 2, backendRetries: 1 });
});

test('a span tells method, status, ids, attempt and bytes, and ends once', () => {
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  const call = { ...testCall(), otel: ROOT_CONTEXT };
  startBackendSpan(call, { ...ATTEMPT, attempt: 2 }).answered({ status: 503, requestId: 'id', bytesReceived: 7 }, new Error('busy'));
  const refused = new Error('refused');
  startBackendSpan(call, ATTEMPT).failed(refused);
  expect(recorded).toEqual([
    {
      name: 'azure write', kind: SpanKind.CLIENT, status: SpanStatusCode.ERROR, ends: 1, exceptions: [],
      attributes: {
        'rpc.system': 'azure', 'rpc.method': 'write', 'http.request.method': 'PUT', 'http.request.body.size': 10, 'backend.attempt': 2,
        'gateway.request_id': call.requestId, 'http.response.status_code': 503, 'http.response.body.size': 7, 'backend.request_id': 'id',
      },
    },
    expect.objectContaining({ status: SpanStatusCode.ERROR, ends: 1, exceptions: [refused] }),
  ]);
});
