import type { RequestFacts } from '../../observe/request-facts.ts';
import type { SignatureDiagnosis } from '../diagnosis/diagnosis.ts';
import type { Outcome } from '../inspector/contract.ts';
import type { Kept } from '../inspector/field-table.ts';
import type { AUTH_FIELDS, BODY_FIELDS, REQUEST_FIELDS } from '../inspector/request-fields.ts';

/** @returns undefined when the request was not refused for its signature */
export type Diagnose = (facts: RequestFacts) => SignatureDiagnosis | undefined;

/**
 * One request as the journal has it, for those who read: facts only, in a form that is JSON. Nothing of it is secret,
 * and no text in it is longer than its limit. Times are milliseconds since arrival.
 */
export type KeptRequest = Kept<typeof REQUEST_FIELDS>;

export type KeptAuth = Kept<typeof AUTH_FIELDS>;

export type KeptBody = Kept<typeof BODY_FIELDS>;

/** What the outcome is seen from. */
type Ending = Pick<KeptRequest, 'endMs' | 'clientLeft' | 'status'>;

export function outcomeOf({ endMs, clientLeft, status }: Ending): Outcome {
  if (endMs === undefined) return 'running';
  if (clientLeft === true || status === undefined) return 'aborted';
  if (status >= 500) return 'serverError';
  return status >= 400 ? 'clientError' : 'ok';
}

export function isFailure(ending: Ending): boolean {
  const outcome = outcomeOf(ending);
  return outcome !== 'ok' && outcome !== 'running';
}

/** Time of the gateway and its backend: what the client took for sending and receiving is none of it. */
export function ownTimeMs({ endMs, blockedOnClientMs }: KeptRequest): number {
  return Math.max(0, (endMs ?? 0) - blockedOnClientMs);
}
