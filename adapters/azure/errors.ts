import { StoreError } from '../../src/store/store-error.ts';
import type { StoreErrorDetail, StoreErrorKind } from '../../src/store/store-error.ts';
import type { AzureRequest } from './request.ts';

/** A refusal as the service sent it. */
export interface Refusal {
  readonly status: number;
  /** `x-ms-error-code`, or the `<Code>` of the body. */
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  /** Seconds. */
  readonly retryAfter: number | undefined;
  /** The status that the service got when it read a copy's source, where it says so. */
  readonly sourceStatus: number | undefined;
  /** The code that came with that status. */
  readonly sourceCode?: string | undefined;
}

/**
 * Codes that mean the same in every call
 * (https://learn.microsoft.com/rest/api/storageservices/blob-service-error-codes).
 */
const BY_CODE: Readonly<Record<string, StoreErrorKind>> = {
  BlobNotFound: 'notFound',
  ResourceNotFound: 'notFound',
  ContainerNotFound: 'containerNotFound',
  ContainerDisabled: 'containerNotFound',
  ContainerAlreadyExists: 'containerExists',
  ContainerBeingDeleted: 'containerBusy',
  BlobAlreadyExists: 'conditionFailed',
  ConditionNotMet: 'conditionFailed',
  TargetConditionNotMet: 'conditionFailed',
  SourceConditionNotMet: 'sourceConditionFailed',
  InvalidBlockList: 'partsGone',
  InvalidRange: 'rangeNotSatisfiable',
  Md5Mismatch: 'digestMismatch',
  InvalidMd5: 'digestMismatch',
  BlobUsesCustomerSpecifiedEncryption: 'keyRefused',
  BlobDoesNotUseCustomerSpecifiedEncryption: 'keyRefused',
  BlobCustomerSpecifiedEncryptionMismatch: 'keyRefused',
  BlobArchived: 'archived',
  BlobBeingRehydrated: 'archived',
  InvalidBlobTier: 'tierRefused',
  RequestBodyTooLarge: 'tooLarge',
  MetadataTooLarge: 'tooLarge',
  RequestHeaderFieldsTooLarge: 'tooLarge',
  BlockCountExceedsLimit: 'tooLarge',
  BlockListTooLong: 'tooLarge',
  InvalidResourceName: 'invalidName',
  OutOfRangeInput: 'invalidName',
  InvalidUri: 'invalidName',
  AuthenticationFailed: 'denied',
  AuthorizationFailure: 'denied',
  AuthorizationPermissionMismatch: 'denied',
  AuthorizationResourceTypeMismatch: 'denied',
  AuthorizationServiceMismatch: 'denied',
  AuthorizationSourceIPMismatch: 'denied',
  AuthorizationProtocolMismatch: 'denied',
  InvalidAuthenticationInfo: 'denied',
  NoAuthenticationInformation: 'denied',
  InsufficientAccountPermissions: 'denied',
  AccountIsDisabled: 'denied',
  KeyBasedAuthenticationNotPermitted: 'denied',
  BlobImmutableDueToPolicy: 'denied',
  BlobImmutableDueToLegalHold: 'denied',
  ServerBusy: 'throttled',
  OperationTimedOut: 'throttled',
  TooManyRequests: 'throttled',
  InternalError: 'unavailable',
  // Azurite, of a header that it does not know unless it is told to be loose: an operator's mistake, not an outage.
  FeatureNotSupported: 'unexpected',
  // Another client holds a lease: 412, but no condition of ours.
  LeaseIdMissing: 'unexpected',
  LeaseLost: 'unexpected',
  LeaseNotPresentWithBlobOperation: 'unexpected',
  LeaseIdMismatchWithBlobOperation: 'unexpected',
};

/** Kinds by status, where there is no known code (HEAD answers, proxies, codes of the future). */
const BY_STATUS: Readonly<Record<number, StoreErrorKind>> = {
  401: 'denied',
  403: 'denied',
  404: 'notFound',
  408: 'unavailable',
  412: 'conditionFailed',
  413: 'tooLarge',
  416: 'rangeNotSatisfiable',
  429: 'throttled',
  431: 'tooLarge',
  501: 'unexpected',
  503: 'throttled',
};

/** What the service found wrong with the source of a copy. */
const BY_SOURCE_STATUS: Readonly<Record<number, StoreErrorKind>> = {
  304: 'sourceConditionFailed',
  401: 'denied',
  403: 'denied',
  404: 'sourceNotFound',
  412: 'sourceConditionFailed',
  416: 'rangeNotSatisfiable',
};

/** The service could not read the source, or not in the way in which it copies. */
export const CANNOT_VERIFY_SOURCE = 'CannotVerifyCopySource';
const SOURCE_CODES: ReadonlySet<string> = new Set([CANNOT_VERIFY_SOURCE, 'CopySourceNotFound']);

/** In copies, a missing blob is the source: the target need not exist. */
const IN_COPIES: Partial<Record<StoreErrorKind, StoreErrorKind>> = { notFound: 'sourceNotFound' };

/** What a code means that the service got when it read a copy's source. */
const OF_SOURCES: Partial<Record<StoreErrorKind, StoreErrorKind>> = {
  notFound: 'sourceNotFound',
  containerNotFound: 'sourceNotFound',
  conditionFailed: 'sourceConditionFailed',
};

/** Makes the port's error for a refusal. Every status and code has one. */
export function refusalError(request: Pick<AzureRequest, 'call' | 'effect' | 'copies'>, refusal: Refusal): StoreError {
  const detail: StoreErrorDetail = {
    call: request.call,
    status: refusal.status,
    ...(refusal.code === undefined ? {} : { code: refusal.code }),
    ...(refusal.requestId === undefined ? {} : { backendRequestId: refusal.requestId }),
    ...(refusal.retryAfter === undefined ? {} : { retryAfter: refusal.retryAfter }),
    ...(request.effect === 'change' && leavesDoubt(request, refusal) ? { lost: true } : {}),
  };
  return new StoreError(kindOf(request, refusal), detail);
}

function kindOf(request: Pick<AzureRequest, 'copies'>, refusal: Refusal): StoreErrorKind {
  const { code, status, sourceStatus, sourceCode } = refusal;
  if (missedSource(request, refusal)) {
    const told = known(sourceCode);
    if (told !== undefined) return OF_SOURCES[told] ?? told;
    const met = sourceStatus ?? status;
    return BY_SOURCE_STATUS[met] ?? (met >= 500 ? 'unavailable' : 'unexpected');
  }
  const kind = known(code) ?? BY_STATUS[status] ?? (status >= 500 ? 'unavailable' : 'unexpected');
  return request.copies === true ? (IN_COPIES[kind] ?? kind) : kind;
}

function known(code: string | undefined): StoreErrorKind | undefined {
  return code !== undefined && Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
}

/**
 * Whether the change may have been made in spite of the refusal. A server that failed (5xx) may have made it; one that
 * gave up waiting (408) may have had the whole request by then. A copy that never began was not made, nor a call that
 * the server does not know (501: an emulator).
 */
function leavesDoubt(request: Pick<AzureRequest, 'copies'>, refusal: Refusal): boolean {
  const { status, code } = refusal;
  if ((request.copies === true && status === 501) || code === 'FeatureNotSupported') return false;
  return (status >= 500 || status === 408) && !missedSource(request, refusal);
}

/** The copy never began: its source could not be read. */
function missedSource(request: Pick<AzureRequest, 'copies'>, { code }: Refusal): boolean {
  return request.copies === true && code !== undefined && SOURCE_CODES.has(code);
}
