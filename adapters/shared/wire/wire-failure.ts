import { NO_ANSWER_IN_TIME, StoreError, type StoreErrorKind, isStoreError } from '../../../src/store/store-error.ts';
import { WireError, type WireFailure } from './transport.ts';

const BY_FAILURE: Readonly<Record<WireFailure, StoreErrorKind>> = {
  aborted: 'aborted',
  body: 'aborted',
  timeout: 'unavailable',
  network: 'unavailable',
  crowded: 'throttled',
  malformed: 'unexpected',
};

/** The properties of a request that decide what its failure means. */
export interface FailedRequest {
  /** Port method. */
  readonly call: string;
  readonly effect: 'read' | 'change';
}

/** A body that never reached its declared length: the service has dropped it. */
const PARTIAL: ReadonlySet<WireFailure> = new Set(['body', 'crowded']);

/** The neutral error when no answer came at all. Of a body that broke off it is known that nothing was stored. */
export function wireFailureError({ call, effect }: FailedRequest, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  if (!(error instanceof WireError)) return new StoreError('unexpected', { call, cause: error });
  const lost = effect === 'change' && error.sent && !PARTIAL.has(error.failure);
  const late = error.failure === 'timeout' && { code: NO_ANSWER_IN_TIME };
  return new StoreError(BY_FAILURE[error.failure], {
    call,
    ...late,
    ...(lost && { lost: true }),
    cause: error.failure === 'body' ? error.cause : error,
  });
}

/**
 * The neutral error for an answer that began as a success but whose rest is useless: cut off, late, or malformed. A
 * change had probably been applied by then, so its outcome counts as lost, whatever went wrong.
 */
export function unreadableError({ call, effect }: FailedRequest, status: number, cause: unknown): StoreError {
  const kind = isStoreError(cause) ? cause.kind : 'unexpected';
  if (effect === 'read') return new StoreError(kind, { ...(isStoreError(cause) && cause.detail), call, status, cause });
  return new StoreError(kind === 'aborted' ? 'aborted' : 'unavailable', {
    call,
    status,
    code: UNUSABLE,
    lost: true,
    cause,
  });
}

/**
 * @param call port method. A success without what the service always says with it: the change is made, and more cannot
 * be told.
 */
export function unusableAnswer(call: string, what: string): StoreError {
  return new StoreError('unavailable', { call, code: UNUSABLE, lost: true, cause: new Error(what) });
}

const UNUSABLE = 'UnusableAnswer';
