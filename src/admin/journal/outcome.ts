import type { Outcome } from '../inspector/contract.ts';
import type { KeptRequest } from './kept-request.ts';

/** What the outcome is seen from, of a kept request and of its facts. */
interface Ending {
  readonly ended?: number | undefined;
  readonly clientLeft?: boolean | undefined;
  /** 0: there was no answer. */
  readonly status: number;
}

export function outcomeOf({ ended, clientLeft, status }: Ending): Outcome {
  if (ended === undefined) return 'running';
  if (clientLeft === true || status === 0) return 'aborted';
  if (status >= 500) return 'serverError';
  return status >= 400 ? 'clientError' : 'ok';
}

export function isFailure(ending: Ending): boolean {
  const outcome = outcomeOf(ending);
  return outcome !== 'ok' && outcome !== 'running';
}

/** Time of the gateway and its backend: what the client took for sending and receiving is none of it. */
export function ownTimeMs({ ended, clientWaitMs }: KeptRequest): number {
  return Math.max(0, (ended ?? 0) - clientWaitMs);
}
