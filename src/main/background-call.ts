import type { Call } from '../observe/call.ts';
import { newRequestId, newTraceId } from '../observe/random-id.ts';
import { CallFacts, type CallWatch } from '../observe/call-facts.ts';

/** A call that serves no request: settling, probes of health. @param calls where it is counted */
export function backgroundCall(signal: AbortSignal, calls?: CallWatch): Call {
  return { signal, requestId: newRequestId(), traceId: newTraceId(), facts: new CallFacts(undefined, calls?.behind) };
}
