import type { RequestFacts } from './request-facts.ts';

/**
 * Answers below 500 that clients ask for in the course of their work: nothing is there, or a condition does not hold.
 */
const EXPECTED_REFUSALS: ReadonlySet<number> = new Set([404, 412, 416]);

/** Whether a request ended in a way that an operator may want to look into. */
export function hasFailed({ status, failure, clientLeft }: RequestFacts): boolean {
  if (clientLeft || status >= 500 || status === 0) return true;
  return failure !== undefined && !EXPECTED_REFUSALS.has(failure.status ?? status);
}

/**
 * Worth more than others: the journal keeps these requests longer, and their spans are exported although the sampler
 * left them out.
 * @param slowMs time of our own from which a request counts as slow
 */
export function isNotable(facts: RequestFacts, slowMs: number): boolean {
  return facts.ownMs >= slowMs || hasFailed(facts);
}
