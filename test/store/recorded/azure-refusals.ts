import type { StoreErrorKind } from '../../../src/store/store-error.ts';

/** One form of refusal that the service was recorded to give. */
interface RecordedRefusal {
  readonly status: number;
  readonly code?: string;
  /** Where the code stands: in `x-ms-error-code`, in the document alone, or nowhere. */
  readonly in: 'header' | 'document' | 'none';
  /** The request named a copy's source. */
  readonly copies?: true;
  /** `x-ms-copy-source-status-code` and `-error-code`. */
  readonly sourceStatus?: number;
  readonly sourceCode?: string;
  /** What it has to mean. */
  readonly kind: StoreErrorKind;
}

/**
 * Facts about refusals of Azure's Blob service, each seen in recordings that public test suites made of it between 2016
 * and 2026 (those of Azure's own SDKs above all).
 */
export const AZURE_REFUSALS: readonly RecordedRefusal[] = [
  { status: 304, code: 'CannotVerifyCopySource', in: 'header', copies: true, kind: 'sourceConditionFailed' },
  {
    status: 304,
    code: 'CannotVerifyCopySource',
    in: 'header',
    copies: true,
    sourceStatus: 304,
    sourceCode: 'ConditionNotMet',
    kind: 'sourceConditionFailed',
  },
  { status: 304, code: 'ConditionNotMet', in: 'header', kind: 'conditionFailed' },
  { status: 400, code: 'BothCrc64AndMd5RangeHeaderPresent', in: 'header', kind: 'unexpected' },
  { status: 400, code: 'Crc64Mismatch', in: 'header', kind: 'unexpected' },
  { status: 400, code: 'InvalidAuthenticationInfo', in: 'header', kind: 'denied' },
  { status: 400, code: 'InvalidBlobTier', in: 'header', kind: 'tierRefused' },
  { status: 400, code: 'InvalidBlockList', in: 'header', kind: 'partsGone' },
  { status: 400, code: 'InvalidHeaderValue', in: 'header', kind: 'unexpected' },
  { status: 400, code: 'InvalidMd5', in: 'header', kind: 'digestMismatch' },
  { status: 400, code: 'InvalidQueryParameterValue', in: 'document', kind: 'unexpected' },
  { status: 400, code: 'InvalidQueryParameterValue', in: 'header', kind: 'unexpected' },
  { status: 400, code: 'InvalidResourceName', in: 'header', kind: 'invalidName' },
  { status: 400, code: 'InvalidUri', in: 'header', kind: 'invalidName' },
  { status: 400, code: 'Md5Mismatch', in: 'header', kind: 'digestMismatch' },
  { status: 400, code: 'MissingRequiredQueryParameter', in: 'header', kind: 'unexpected' },
  { status: 400, code: 'MutuallyExclusiveQueryParameters', in: 'header', kind: 'unexpected' },
  { status: 400, code: 'OutOfRangeInput', in: 'header', kind: 'invalidName' },
  { status: 400, in: 'none', kind: 'unexpected' },
  { status: 401, code: 'CannotVerifyCopySource', in: 'header', copies: true, kind: 'denied' },
  { status: 401, code: 'NoAuthenticationInformation', in: 'header', kind: 'denied' },
  { status: 403, code: 'AuthenticationFailed', in: 'header', kind: 'denied' },
  { status: 403, code: 'AuthorizationFailure', in: 'header', kind: 'denied' },
  { status: 403, code: 'AuthorizationPermissionMismatch', in: 'header', kind: 'denied' },
  { status: 403, code: 'AuthorizationResourceTypeMismatch', in: 'header', kind: 'denied' },
  { status: 403, code: 'AuthorizationServiceMismatch', in: 'header', kind: 'denied' },
  { status: 403, code: 'OperationNotAllowedOnRootBlob', in: 'header', kind: 'denied' },
  { status: 403, in: 'none', kind: 'denied' },
  { status: 404, code: 'BlobNotFound', in: 'header', copies: true, kind: 'sourceNotFound' },
  { status: 404, code: 'BlobNotFound', in: 'header', kind: 'notFound' },
  { status: 404, code: 'CannotVerifyCopySource', in: 'header', copies: true, kind: 'sourceNotFound' },
  {
    status: 404,
    code: 'CannotVerifyCopySource',
    in: 'header',
    copies: true,
    sourceStatus: 404,
    sourceCode: 'BlobNotFound',
    kind: 'sourceNotFound',
  },
  { status: 404, code: 'ContainerNotFound', in: 'header', kind: 'containerNotFound' },
  { status: 404, code: 'ResourceNotFound', in: 'document', kind: 'notFound' },
  { status: 404, code: 'ResourceNotFound', in: 'header', kind: 'notFound' },
  { status: 404, in: 'none', kind: 'notFound' },
  { status: 409, code: 'BlobAlreadyExists', in: 'header', kind: 'conditionFailed' },
  { status: 409, code: 'BlobBeingRehydrated', in: 'document', kind: 'archived' },
  { status: 409, code: 'BlobCustomerSpecifiedEncryptionMismatch', in: 'header', kind: 'keyRefused' },
  { status: 409, code: 'BlobDoesNotUseCustomerSpecifiedEncryption', in: 'header', kind: 'keyRefused' },
  { status: 409, code: 'BlobImmutableDueToLegalHold', in: 'header', kind: 'denied' },
  { status: 409, code: 'BlobImmutableDueToPolicy', in: 'header', kind: 'denied' },
  { status: 409, code: 'BlobOperationNotSupported', in: 'header', kind: 'unexpected' },
  { status: 409, code: 'BlobUsesCustomerSpecifiedEncryption', in: 'header', kind: 'keyRefused' },
  { status: 409, code: 'CannotChangeToLowerTier', in: 'document', kind: 'unexpected' },
  { status: 409, code: 'CannotVerifyCopySource', in: 'header', copies: true, kind: 'unexpected' },
  { status: 409, code: 'ContainerAlreadyExists', in: 'header', kind: 'containerExists' },
  { status: 409, code: 'ContainerBeingDeleted', in: 'header', kind: 'containerBusy' },
  { status: 409, code: 'InvalidBlobType', in: 'header', kind: 'unexpected' },
  { status: 409, code: 'PermanentDeleteIsOff', in: 'header', kind: 'unexpected' },
  { status: 409, code: 'SnapshotsPresent', in: 'header', kind: 'unexpected' },
  { status: 412, code: 'CannotVerifyCopySource', in: 'header', copies: true, kind: 'sourceConditionFailed' },
  { status: 412, code: 'ConditionNotMet', in: 'header', copies: true, kind: 'conditionFailed' },
  { status: 412, code: 'ConditionNotMet', in: 'header', kind: 'conditionFailed' },
  { status: 412, code: 'LeaseIdMismatchWithBlobOperation', in: 'header', kind: 'unexpected' },
  { status: 412, code: 'LeaseIdMissing', in: 'header', kind: 'unexpected' },
  { status: 412, code: 'LeaseLost', in: 'header', kind: 'unexpected' },
  { status: 412, code: 'LeaseNotPresentWithBlobOperation', in: 'header', kind: 'unexpected' },
  { status: 412, code: 'SourceConditionNotMet', in: 'header', copies: true, kind: 'sourceConditionFailed' },
  { status: 412, code: 'TargetConditionNotMet', in: 'header', copies: true, kind: 'conditionFailed' },
  { status: 412, code: 'TargetConditionNotMet', in: 'header', kind: 'conditionFailed' },
  { status: 416, code: 'InvalidRange', in: 'header', kind: 'rangeNotSatisfiable' },
  { status: 500, code: 'InternalError', in: 'header', copies: true, kind: 'unavailable' },
  { status: 503, code: 'ServerBusy', in: 'header', kind: 'throttled' },
];
