import { S3Error } from '../errors/s3-error.ts';
import { RecordFormatError } from '../manifest/records/record.ts';
import { VERSIONING_JUST_ENABLED } from '../manifest/versions/drain-window.ts';
import { StoreError, type StoreErrorKind } from '../store/store-error.ts';

/** Seconds a client is asked to wait when the backend named no time. */
const DEFAULT_RETRY_AFTER = 1;
/** Longest chain of causes that is followed; the gateway makes none that is longer. */
const MAX_CAUSES = 8;

/**
 * The message for objects whose record somebody else wrote, or a later release. InternalError would make clients try
 * again.
 */
const UNREADABLE = 'The record that the gateway keeps with the object cannot be read.';

/** Store failures that clients are told of. All others are internal and become InternalError. */
const STORE_FAILURES: Partial<Record<StoreErrorKind, (error: StoreError) => S3Error>> = {
  throttled: (error) => slowDown(error),
  unavailable: (error) => unavailable(error),
  archived: (error) => new S3Error('InvalidObjectState', { cause: error }),
  containerBusy: (error) => new S3Error('OperationAborted', { cause: error }),
};

/**
 * Makes the S3 error to answer of anything that was thrown while a request was served. What no layer above the store
 * has translated becomes InternalError; its cause is kept for logs and never sent.
 */
export function toS3Error(error: unknown): S3Error {
  if (error instanceof S3Error) return error;
  // An upload that was broken off has the reason somewhere among its causes: a digest that does not fit, a client that
  // hung up.
  const reason = error instanceof StoreError && error.kind !== 'aborted' ? undefined : causingS3Error(error);
  if (reason !== undefined) return reason;
  if (error instanceof RecordFormatError) {
    return new S3Error('InvalidObjectState', { message: UNREADABLE, cause: error });
  }
  const failure = ofTheStore(error);
  const translate = failure === undefined ? undefined : STORE_FAILURES[failure.kind];
  return translate === undefined || failure === undefined
    ? new S3Error('InternalError', { cause: error })
    : translate(failure);
}

/** If a write was broken off because another call failed while it streamed, that other failure is the reason. */
function ofTheStore(error: unknown): StoreError | undefined {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    if (current instanceof StoreError && current.kind !== 'aborted') return current;
    if (depth === 0 && !(current instanceof StoreError) && current.name !== 'AbortError') return undefined;
    current = current.cause;
  }
  return error instanceof StoreError ? error : undefined;
}

/** The backend is there; the bucket is not ready yet for this, for up to half an hour. */
function unavailable(error: StoreError): S3Error {
  if (error.detail.code !== VERSIONING_JUST_ENABLED) return new S3Error('ServiceUnavailable', { cause: error });
  return new S3Error('OperationAborted', {
    message: 'Versioning was first enabled on this bucket a short while ago. Please try again later.',
    cause: error,
  });
}

function slowDown(error: StoreError): S3Error {
  const seconds = Math.max(DEFAULT_RETRY_AFTER, Math.ceil(error.detail.retryAfter ?? DEFAULT_RETRY_AFTER));
  return new S3Error('SlowDown', { headers: { 'retry-after': String(seconds) }, cause: error });
}

function causingS3Error(error: unknown): S3Error | undefined {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    if (current instanceof S3Error) return current;
    current = current.cause;
  }
  return undefined;
}
