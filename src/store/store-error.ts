/**
 * The small neutral union that every adapter's one total error function maps into.
 *
 * | kind | meaning |
 * |---|---|
 * | `notFound` | the blob does not exist |
| `containerNotFound` / `containerExists` / `containerBusy` | container state; busy: being deleted or somebody else's |
 * | `containerNotEmpty` | the service does not remove a container that holds something; nothing was removed |
 * | `conditionFailed` | the condition of the call does not hold (also: create-if-absent on something that exists) |
 * | `sourceConditionFailed` / `sourceNotFound` | the same for the source of a server-side copy |
 * | `partsGone` | `assemble` named a staged part that is not there (any more) |
 * | `rangeNotSatisfiable` | the range starts at or beyond the end |
 * | `digestMismatch` | the bytes received do not have the declared MD5; nothing was stored |
 * | `archived` | the bytes are in an offline tier |
 * | `tierRefused` | the service cannot keep the blob in this tier; nothing was stored |
 * | `keyRefused` | the blob is encrypted with another key, or with one where none was shown, or the other way round |
 * | `tooLarge` / `invalidName` | a limit or naming rule of the service |
 * | `denied` | the gateway's own credential lacks a permission |
 * | `throttled` | back off and try later; becomes `SlowDown` |
 * | `unavailable` | no usable answer (refused, reset, cut, timed out, 5xx) |
 * | `aborted` | the call's signal was aborted, or the body to be uploaded failed |
 * | `unexpected` | anything else, with its cause |
 */
export type StoreErrorKind =
  | 'notFound'
  | 'containerNotFound'
  | 'containerExists'
  | 'containerBusy'
  | 'containerNotEmpty'
  | 'conditionFailed'
  | 'sourceConditionFailed'
  | 'sourceNotFound'
  | 'partsGone'
  | 'rangeNotSatisfiable'
  | 'digestMismatch'
  | 'archived'
  | 'tierRefused'
  | 'keyRefused'
  | 'tooLarge'
  | 'invalidName'
  | 'denied'
  | 'throttled'
  | 'unavailable'
  | 'aborted'
  | 'unexpected';

/** Code of what was given up because the service took too long. */
export const NO_ANSWER_IN_TIME = 'NoAnswerInTime';

/** Code of a read where the service hands out other bytes than the ones stored. */
export const STORED_BYTES_WITHHELD = 'StoredBytesWithheld';

/** Code of `unexpected` where an emulator refuses what it does not know. The service has no such code. */
export const UNKNOWN_TO_THE_EMULATOR = 'FeatureNotSupported';

/** Code of `containerBusy` where another customer of the service has the container: its names are everybody's. */
export const CONTAINER_OF_OTHERS = 'ContainerOfOthers';

export interface StoreErrorDetail {
  /** Port method, e.g. `write`. */
  readonly call?: string;
  /** The service's own code and status, for traces and logs only. */
  readonly code?: string;
  readonly status?: number;
  readonly backendRequestId?: string;
  /** Seconds the service asked to wait. */
  readonly retryAfter?: number;
  /**
   * The answer was lost: the call may have been applied, now or a little later (timeout, reset, abort or
   * 5xx after the request was sent, or a success that cannot be read). Only meaningful for calls that change something.
   */
  readonly lost?: boolean;
  readonly cause?: unknown;
}

/** The only error an adapter throws. */
export class StoreError extends Error {
  readonly kind: StoreErrorKind;
  readonly detail: StoreErrorDetail;

  constructor(kind: StoreErrorKind, detail: StoreErrorDetail = {}) {
    super(`${detail.call ?? 'backend'}: ${kind}${detail.code === undefined ? '' : ` (${detail.code})`}`, {
      cause: detail.cause,
    });
    this.name = 'StoreError';
    this.kind = kind;
    this.detail = detail;
  }

  /** True when the call may have taken effect although it failed. */
  get lost(): boolean {
    return this.detail.lost === true;
  }
}

export function isStoreError(error: unknown, ...kinds: readonly StoreErrorKind[]): error is StoreError {
  return error instanceof StoreError && (kinds.length === 0 || kinds.includes(error.kind));
}

/**
 * The service looked at the call and refused it, or what the call needs is not there: it was not applied, unless it
 * says `lost`.
 */
const REFUSALS: ReadonlySet<StoreErrorKind> = new Set([
  'notFound',
  'containerNotFound',
  'containerExists',
  'containerBusy',
  'conditionFailed',
  'sourceConditionFailed',
  'sourceNotFound',
  'partsGone',
  'rangeNotSatisfiable',
  'digestMismatch',
  'archived',
  'tierRefused',
  'keyRefused',
  'tooLarge',
  'invalidName',
  'denied',
  'throttled',
]);

/**
 * Whether a call that changes something may have been applied, now or a little later, although it failed. Everything
 * that is no refusal for certain counts: a call that was broken off, an answer that nobody understands, an error of
 * unknown origin.
 */
export function mayHaveHappened(error: unknown): boolean {
  if (!(error instanceof StoreError) || error.lost) return true;
  const { status = 0 } = error.detail;
  return !REFUSALS.has(error.kind) && !(error.kind === 'unexpected' && status >= 400 && status < 500);
}
