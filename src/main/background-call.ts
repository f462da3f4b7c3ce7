import { type Call, newCallFacts } from '../observe/call.ts';
import { newRequestId, newTraceId } from '../observe/random-id.ts';

/** A call that serves no request: settling, probes of health. */
export function backgroundCall(signal: AbortSignal): Call {
  return { signal, requestId: newRequestId(), traceId: newTraceId(), facts: newCallFacts() };
}
