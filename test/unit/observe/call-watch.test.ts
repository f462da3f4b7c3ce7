import { expect, test } from 'vitest';
import { BackendCall } from '../../../src/observe/backend-call.ts';
import { BackendCalls } from '../../../src/observe/call-watch.ts';
import { RequestFacts } from '../../../src/observe/request-facts.ts';
import { endedFacts } from '../../support/observe/ended-facts.ts';
import { testCall } from '../../support/test-call.ts';

const ATTEMPT = { system: 'azure', operation: 'read', method: 'GET', path: '/p'.repeat(500), attempt: 1, bytesSent: 0 };
const ANSWER = { status: 200, requestId: undefined, bytesReceived: 0 };

function call(facts: RequestFacts): void {
  new BackendCall({ ...testCall(), facts }, ATTEMPT).answered(ANSWER);
}

test.each([
  ['calls', { maxCalls: 100, maxBytes: 1e9 }, 100],
  ['bytes', { maxCalls: 1e9, maxBytes: 26_000 }, 20],
])('what waits is bounded in %s over all requests under way, and given back', (_what, limits, most) => {
  const calls = new BackendCalls(limits);
  let counted = 0;
  calls.onCall(() => (counted += 1));
  const { head } = endedFacts();
  const requests = Array.from({ length: 30 }, () => new RequestFacts(head, calls));
  for (let i = 0; i < 10; i += 1) requests.forEach(call);
  expect(calls.room).toMatchObject({ calls: most, withoutRoom: 300 - most });
  expect(calls.room.bytes).toBeLessThanOrEqual(limits.maxBytes);
  expect(requests.reduce((sum, facts) => sum + facts.backend.length, 0)).toBe(most);
  calls.flush();
  expect([counted, requests[29]?.backendCalls]).toEqual([300, 10]);
  for (const facts of requests) {
    facts.giveRoomBack();
    facts.giveRoomBack();
    call(facts);
  }
  expect(calls.room).toMatchObject({ calls: 0, bytes: 0 });
});

test('work behind a request is counted and takes no room', () => {
  const calls = new BackendCalls();
  const behind = new RequestFacts(endedFacts().head, calls).apart();
  new BackendCall({ ...testCall(), facts: behind }, ATTEMPT).answered(ANSWER);
  expect([calls.room.calls, behind.backend.length, behind.backendCalls]).toEqual([0, 0, 1]);
});
