import { StoreError, type StoreErrorKind } from '../../../src/store/store-error.ts';
import { WireError, type WireFailure } from './transport.ts';

const BY_FAILURE: Readonly<Record<WireFailure, StoreErrorKind>> = {
  aborted: 'aborted',
  body: 'aborted',
  timeout: 'unavailable',
  network: 'unavailable',
  malformed: 'unexpected',
};

/** What a service's request says of itself, as far as its failure depends on it. */
export interface FailedRequest {
  /** Port method. */
  readonly call: string;
  readonly effect: 'read' | 'change';
}

/**
 * The neutral error when no answer came at all. A body that broke off never reached its declared
 * length, so the service has dropped it: not lost.
 */
export function wireFailureError({ call, effect }: FailedRequest, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  if (!(error instanceof WireError)) return new StoreError('unexpected', { call, cause: error });
  const lost = effect === 'change' && error.sent && error.failure !== 'body';
  return new StoreError(BY_FAILURE[error.failure], { call, ...(lost && { lost: true }), cause: error.failure === 'body' ? error.cause : error });
}
