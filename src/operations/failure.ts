import { S3Error } from '../errors/s3-error.ts';
import { RecordFormatError, VERSIONING_JUST_ENABLED } from '../manifest/index.ts';
import {
  STORED_BYTES_WITHHELD,
  StoreError,
  type StoreErrorKind,
  UNKNOWN_TO_THE_EMULATOR,
  isStoreError,
} from '../store/store-error.ts';

/** Seconds a client is asked to wait when the backend named no time. */
const DEFAULT_RETRY_AFTER = 1;
const OWN_IDENTITY_DENIED = "The gateway's own identity may not do this in the storage service.";
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
  tierRefused: (error) =>
    new S3Error('InvalidStorageClass', { message: 'The backend keeps no objects in this storage class', cause: error }),
  containerBusy: (error) => new S3Error('OperationAborted', { cause: error }),
  denied: (error) => deniedToUs(error),
  unexpected: (error) => unexpected(error),
};

/** The message for objects of which the service hands out other bytes than the ones stored. */
const WITHHELD = 'The storage service hands out this object only after it has unpacked it.';

/** To try again is of no use, as InternalError would have it. */
const EMULATOR_CANNOT =
  'Azurite, the emulator behind this gateway, does not know what this request needs, such as keys of customers (SSE-C). Azure Storage does.';

/** What is told of a backend's refusal where its code says why; of any other, its code is told. */
const KEPT_BY_THE_SERVICE = 'A retention policy or hold of the storage service protects it.';
const REASONS: ReadonlyMap<string | undefined, string> = new Map(
  [
    ...['BlobImmutableDueToPolicy', 'BlobImmutableDueToLegalHold'],
    ...['retentionPolicyNotMet', 'objectUnderActiveHold'],
  ].map((code) => [code, KEPT_BY_THE_SERVICE]),
);

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

/**
 * Waits until bytes are stored whose Content-MD5 was left to the backend.
 * @param md5 hex; undefined: it was not, and what the backend finds wrong with the bytes is no fault of the client's
 * @throws S3Error BadDigest, and what `storing` rejects with
 */
export async function judgedByBackend<T>(md5: string | undefined, storing: Promise<T>): Promise<T> {
  try {
    return await storing;
  } catch (error) {
    if (md5 === undefined || !isStoreError(error, 'digestMismatch')) throw error;
    throw new S3Error('BadDigest', { extra: { ExpectedDigest: md5 }, cause: error });
  }
}

/**
 * The backend refuses the gateway itself: what the client asked for is allowed as far as the gateway knows. To try
 * again is of no use, so that this is no failure of the server's (500), which clients repeat.
 */
function deniedToUs(error: StoreError): S3Error {
  const { code } = error.detail;
  const reason = REASONS.get(code) ?? `The storage service says: ${code ?? 'forbidden'}.`;
  return new S3Error('AccessDenied', { message: `${OWN_IDENTITY_DENIED} ${reason}`, cause: error });
}

function unexpected(error: StoreError): S3Error {
  if (error.detail.code === UNKNOWN_TO_THE_EMULATOR) {
    return new S3Error('NotImplemented', { message: EMULATOR_CANNOT, cause: error });
  }
  return error.detail.code === STORED_BYTES_WITHHELD
    ? new S3Error('InvalidObjectState', { message: WITHHELD, cause: error })
    : new S3Error('InternalError', { cause: error });
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
