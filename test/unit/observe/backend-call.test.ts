import { describe, expect, test } from 'vitest';
import { BackendCall } from '../../../src/observe/backend-call.ts';
import { BackendCalls } from '../../../src/observe/call-watch.ts';
import {
  CallFacts,
  MAX_CALLS_KEPT,
  type BackendCallFacts,
  type CallWatch,
  type TraceFacts,
} from '../../../src/observe/call-facts.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import { testCall } from '../../support/test-call.ts';

const ATTEMPT = {
  system: 'azure',
  operation: 'write',
  method: 'PUT',
  path: '/photos/cat.jpg',
  attempt: 1,
  bytesSent: 10,
};
const ANSWER = { status: 201, requestId: 'id', bytesReceived: 3 };
const TRACED: TraceFacts = {
  traceId: '1'.repeat(32),
  spanId: '2'.repeat(16),
  parentSpanId: undefined,
  sampled: false,
  traceState: 'a=b',
};

describe('facts of a call', () => {
  test('an answer, a refusal, and no answer at all', () => {
    const call = testCall();
    new BackendCall(call, ATTEMPT).answered(ANSWER);
    new BackendCall(call, { ...ATTEMPT, attempt: 2 }).answered({ ...ANSWER, status: 503 }, new StoreError('throttled'));
    new BackendCall(call, { ...ATTEMPT, attempt: 3 }).failed(new StoreError('unavailable'));
    expect(call.facts).toMatchObject({ backendCalls: 3, backendRetries: 2, backendThrottles: 1 });
    expect(call.facts.backend).toMatchObject([
      {
        ...ATTEMPT,
        status: 201,
        backendRequestId: 'id',
        bytesReceived: 3,
        outcome: 'ok',
        failure: undefined,
        spanId: undefined,
      },
      { attempt: 2, status: 503, outcome: 'throttled' },
      { attempt: 3, status: undefined, outcome: 'unavailable' },
    ]);
    expect(call.facts.backend.every(({ started, ended = 0 }) => ended >= started)).toBe(true);
  });

  test('the first are kept, all are counted and told', () => {
    const told: BackendCallFacts[] = [];
    const call = { ...testCall(), facts: new CallFacts(TRACED, watch({ callEnded: (facts) => told.push(facts) })) };
    for (let i = 0; i < MAX_CALLS_KEPT + 5; i += 1) new BackendCall(call, ATTEMPT).answered(ANSWER);
    expect([call.facts.backendCalls, call.facts.backend.length, told.length]).toEqual([
      MAX_CALLS_KEPT + 5,
      MAX_CALLS_KEPT,
      MAX_CALLS_KEPT + 5,
    ]);
  });

  test('without room they are counted only; room is given back once', () => {
    const given: number[][] = [];
    let left = 2;
    const room = watch({
      takeRoom: () => (left -= 1) >= 0,
      giveRoomBack: (calls, bytes) => given.push([calls, bytes]),
    });
    const call = { ...testCall(), facts: new CallFacts(TRACED, room) };
    for (let i = 0; i < 4; i += 1) new BackendCall(call, ATTEMPT).answered(ANSWER);
    call.facts.giveRoomBack();
    expect(call.facts.backend).toHaveLength(2);
    expect(given).toEqual([[2, 2 * (300 + ATTEMPT.path.length)]]);
  });
});

describe('waiting', () => {
  test('calls side by side count once, time spent waiting for the client not at all', async () => {
    const call = testCall();
    const [one, two] = [new BackendCall(call, ATTEMPT), new BackendCall(call, ATTEMPT)];
    await new Promise((done) => setTimeout(done, 30));
    one.answered(ANSWER);
    call.facts.clientWaitMs += 10;
    two.answered(ANSWER);
    expect(call.facts.backendWaitMs).toBeGreaterThan(15);
    expect(call.facts.backendWaitMs).toBeLessThan(60);
  });
});

describe('trace headers', () => {
  test('carry the span of the call and the head decision', () => {
    const call = { ...testCall(), facts: new CallFacts(TRACED) };
    const made = new BackendCall(call, ATTEMPT);
    const spanId = call.facts.backend[0]?.spanId ?? '';
    expect(spanId).toMatch(/^[0-9a-f]{16}$/);
    const headers = ['x-ms-version', '1'];
    made.addTraceHeaders(headers);
    expect(headers).toEqual([
      'x-ms-version',
      '1',
      'traceparent',
      `00-${TRACED.traceId}-${spanId}-00`,
      'tracestate',
      'a=b',
    ]);
  });

  test('nothing is said when nothing is traced', () => {
    const headers: string[] = [];
    new BackendCall(testCall(), ATTEMPT).addTraceHeaders(headers);
    expect(headers).toEqual([]);
  });
});

function watch(own: Partial<CallWatch>): CallWatch {
  const made = {
    takeRoom: () => true,
    giveRoomBack: () => undefined,
    callEnded: () => undefined,
    denied: () => undefined,
    ...own,
  };
  return { ...made, behind: { ...made, behind: new BackendCalls() } };
}
