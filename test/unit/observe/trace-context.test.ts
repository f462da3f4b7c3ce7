import type { SpanContext } from '@opentelemetry/api';
import { describe, expect, test } from 'vitest';
import { newRequestId, newSpanId, newTraceId } from '../../../src/observe/random-id.ts';
import { believeCaller, formatTraceparent, traceOf } from '../../../src/observe/trace-context.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;
const without = (traceparent: string | undefined): ReturnType<typeof traceOf> =>
  traceOf({ traceparent, tracestate: undefined }, undefined);

describe('when nothing is traced', () => {
  test("the caller's trace id is kept, else one is made; there is no span", () => {
    expect(without(TRACEPARENT)).toMatchObject({ traceId: TRACE_ID, spanId: undefined, sampled: false });
    expect(without(undefined).traceId).toMatch(/^[0-9a-f]{32}$/);
  });

  test.each([
    '',
    '00-x',
    `ff${TRACEPARENT.slice(2)}`,
    TRACEPARENT.toUpperCase(),
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${TRACE_ID}-${'0'.repeat(16)}-01`,
    `${TRACEPARENT}x`,
    `${TRACEPARENT}-more`,
  ])('a bad traceparent is ignored: %j', (traceparent) => {
    expect(without(traceparent)).toMatchObject({
      parentSpanId: undefined,
      traceId: expect.not.stringMatching(TRACE_ID) as string,
    });
  });

  test('a later version may say more', () => {
    expect(without(`01${TRACEPARENT.slice(2)}-more`)).toMatchObject({
      traceId: TRACE_ID,
      parentSpanId: '00f067aa0ba902b7',
    });
  });
});

describe('with a sampler', () => {
  test('of a stranger it hears neither the flag nor the id; of a caller who has signed, both', () => {
    const asked: (string | undefined)[] = [];
    const sampler = (parent: SpanContext | undefined, traceId: string): boolean => {
      asked.push(parent?.spanId, traceId);
      return parent !== undefined && (parent.traceFlags & 1) === 1;
    };
    const facts = traceOf({ traceparent: TRACEPARENT, tracestate: 'vendor=1' }, sampler);
    expect(asked).toEqual([undefined, expect.not.stringMatching(TRACE_ID) as string]);
    expect(facts).toMatchObject({ traceId: TRACE_ID, sampled: false });
    believeCaller(facts, undefined, sampler);
    believeCaller(facts, 'no traceparent', sampler);
    expect(asked.splice(0)).toHaveLength(2);
    believeCaller(facts, TRACEPARENT, sampler);
    expect(asked).toEqual(['00f067aa0ba902b7', TRACE_ID]);
    expect(facts).toMatchObject({
      traceId: TRACE_ID,
      parentSpanId: '00f067aa0ba902b7',
      sampled: true,
      traceState: 'vendor=1',
    });
    expect(formatTraceparent(facts, 'b'.repeat(16))).toBe(`00-${TRACE_ID}-${'b'.repeat(16)}-01`);
  });

  test('tracestate goes nowhere without its traceparent, nor when it is too long', () => {
    expect(traceOf({ traceparent: undefined, tracestate: 'vendor=1' }, () => false).traceState).toBeUndefined();
    expect(
      traceOf({ traceparent: TRACEPARENT, tracestate: `v=${'x'.repeat(512)}` }, () => false).traceState,
    ).toBeUndefined();
  });
});

describe('ids', () => {
  test('have their form and do not repeat', () => {
    const ids = Array.from({ length: 5000 }, () => [newRequestId(), newTraceId(), newSpanId()] as const);
    expect(new Set(ids.flat()).size).toBe(15_000);
    expect(
      ids.every(
        ([request, traceId, spanId]) =>
          /^[0-9A-Z]{16}$/.test(request) && /^[0-9a-f]{32}$/.test(traceId) && /^[0-9a-f]{16}$/.test(spanId),
      ),
    ).toBe(true);
  });
});
