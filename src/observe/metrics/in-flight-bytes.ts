import type { RequestFacts } from '../request-facts.ts';

/**
 * How much the bodies of requests under way come to, as announced: what clients send, and what they are sent. Bodies
 * without an announced size count for nothing.
 */
export function bytesInFlight(running: Iterable<RequestFacts>): number {
  let bytes = 0;
  for (const facts of running) bytes += announced(facts);
  return bytes;
}

function announced({ body, answerBytes = 0, head }: RequestFacts): number {
  const answer = head.method === 'HEAD' ? 0 : answerBytes;
  return (body?.declaredSize ?? body?.contentLength ?? 0) + answer;
}
