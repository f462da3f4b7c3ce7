import type { Outcome } from '../inspector/contract.ts';
import type { KeptRequest } from './kept-request.ts';

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
