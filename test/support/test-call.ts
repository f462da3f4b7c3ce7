import { type Call, newCallFacts } from '../../src/observe/call.ts';

/** A call outside any request, for tests that talk to the layers below the gateway. */
export function testCall(signal: AbortSignal = new AbortController().signal): Call {
  return { signal, requestId: 'TESTREQUEST', traceId: '0'.repeat(31) + '1', facts: newCallFacts() };
}
