/** Something that the adapters rely on in the answers of a cloud, and how far it is known. */
interface Assumption {
  /** Never used again for something else. */
  readonly id: string;
  readonly cloud: 'Azure' | 'Google';
  readonly relies: string;
  readonly file: string;
  /**
   * `recording`: public test suites recorded the service itself; `document`: the vendor says so; `emulator`: only an
   * emulator was seen; `nothing`: none of these.
   */
  readonly source: 'recording' | 'document' | 'emulator' | 'nothing';
  /** Error codes of the file's table that this row is about. */
  readonly codes?: readonly string[];
  readonly test: string;
}

const AZURE = { cloud: 'Azure', file: 'adapters/azure/errors.ts' } as const;
const GOOGLE = { cloud: 'Google', file: 'adapters/gcs/errors.ts' } as const;
const RECORDED = { source: 'recording', test: 'test/store/recorded/refusals.test.ts' } as const;
const ANSWERS = { source: 'recording', test: 'test/store/recorded/answers.test.ts' } as const;
const AZURE_DOCUMENTED = { ...AZURE, source: 'document', test: 'test/unit/adapters/azure/errors.test.ts' } as const;
const GOOGLE_DOCUMENTED = { ...GOOGLE, source: 'document', test: 'test/unit/adapters/gcs/errors.test.ts' } as const;

const AZURE_CODES: readonly Assumption[] = [
  {
    ...{ ...AZURE, ...RECORDED, id: 'A1', relies: 'codes for what is not there' },
    codes: ['BlobNotFound', 'ResourceNotFound', 'ContainerNotFound'],
  },
  {
    ...{ ...AZURE, ...RECORDED, id: 'A2', relies: 'codes for what is there already, or being deleted' },
    codes: ['ContainerAlreadyExists', 'ContainerBeingDeleted', 'BlobAlreadyExists'],
  },
  {
    ...{ ...AZURE, ...RECORDED, id: 'A3', relies: 'codes of conditions; those of a copy tell its two ends apart' },
    codes: ['ConditionNotMet', 'TargetConditionNotMet', 'SourceConditionNotMet'],
  },
  {
    ...{ ...AZURE, ...RECORDED, id: 'A4', relies: 'codes of block lists, ranges, digests and names' },
    codes: ['InvalidBlockList', 'InvalidRange', 'Md5Mismatch', 'InvalidMd5', 'InvalidResourceName', 'InvalidUri'],
  },
  {
    ...{ ...AZURE, ...RECORDED, id: 'A5', relies: "codes for a customer's key that is missing, wrong or not wanted" },
    codes: [
      'BlobUsesCustomerSpecifiedEncryption',
      'BlobDoesNotUseCustomerSpecifiedEncryption',
      'BlobCustomerSpecifiedEncryptionMismatch',
    ],
  },
  {
    ...{
      ...AZURE,
      ...RECORDED,
      id: 'A6',
      relies: 'codes that deny the gateway itself; retention and legal holds are 409',
    },
    codes: [
      ...[
        'AuthenticationFailed',
        'AuthorizationFailure',
        'AuthorizationPermissionMismatch',
        'InvalidAuthenticationInfo',
      ],
      ...['AuthorizationResourceTypeMismatch', 'AuthorizationServiceMismatch', 'NoAuthenticationInformation'],
      ...['BlobImmutableDueToPolicy', 'BlobImmutableDueToLegalHold'],
    ],
  },
  {
    ...{ ...AZURE_DOCUMENTED, id: 'A7', relies: 'further codes that deny the gateway itself' },
    codes: [
      ...['AuthorizationSourceIPMismatch', 'AuthorizationProtocolMismatch', 'InsufficientAccountPermissions'],
      ...['AccountIsDisabled', 'KeyBasedAuthenticationNotPermitted'],
    ],
  },
  {
    ...{ ...AZURE, ...RECORDED, id: 'A8', relies: 'codes of leases are 412, and no condition of ours' },
    codes: ['LeaseIdMissing', 'LeaseLost', 'LeaseNotPresentWithBlobOperation', 'LeaseIdMismatchWithBlobOperation'],
  },
  {
    ...{
      ...AZURE,
      ...RECORDED,
      id: 'A9',
      relies:
        'codes of a busy or failing service, of a blob that is brought back, and of a tier that a blob cannot have',
    },
    codes: ['ServerBusy', 'InternalError', 'BlobBeingRehydrated', 'InvalidBlobTier'],
  },
  {
    ...{ ...AZURE_DOCUMENTED, id: 'A10', relies: 'codes of limits of time, rate, size and tier' },
    codes: [
      ...['OperationTimedOut', 'TooManyRequests', 'RequestBodyTooLarge', 'MetadataTooLarge', 'BlockListTooLong'],
      ...['RequestHeaderFieldsTooLarge', 'BlockCountExceedsLimit', 'BlobArchived', 'ContainerDisabled'],
    ],
  },
  {
    ...{
      ...AZURE,
      ...RECORDED,
      id: 'A11',
      relies: 'a spoilt marker of a listing is this, as is a name out of range; clients are never given a marker',
    },
    codes: ['OutOfRangeInput'],
  },
  {
    ...{ ...AZURE, id: 'A12', relies: 'a header that the emulator does not know; the service has no such code' },
    ...{ source: 'emulator', test: 'test/unit/adapters/azure/errors.test.ts', codes: ['FeatureNotSupported'] },
  },
];

const AZURE_ANSWERS: readonly Assumption[] = [
  {
    ...{ ...AZURE, ...RECORDED, id: 'A20' },
    relies: 'CannotVerifyCopySource has the status that the source answered; 409: the service cannot copy this source',
  },
  {
    ...{ ...AZURE, ...RECORDED, id: 'A21', file: 'adapters/azure/api.ts' },
    relies: 'the code stands in x-ms-error-code, of HEAD too; where it does not, in the document, if there is one',
  },
  {
    ...{ ...ANSWERS, id: 'A22', cloud: 'Azure', file: 'adapters/azure/list-xml.ts' },
    relies: 'every document begins with a byte order mark',
  },
  {
    ...{ ...ANSWERS, id: 'A23', cloud: 'Azure', file: 'adapters/azure/xml-values.ts' },
    relies: 'names that XML cannot hold are marked Encoded="true"',
  },
  {
    ...{ ...ANSWERS, id: 'A24', cloud: 'Azure', file: 'adapters/azure/calls/write.ts' },
    relies: 'Put Blob always answers the Content-MD5 of the blob, a CRC64 beside it or not',
  },
  {
    ...{ ...ANSWERS, id: 'A25', cloud: 'Azure', file: 'adapters/azure/calls/read.ts' },
    relies: 'a range answers the MD5 of the whole in x-ms-blob-content-md5; blobs made of blocks have none',
  },
  {
    ...{ id: 'A26', cloud: 'Azure', file: 'adapters/azure/calls/copy.ts', source: 'recording' },
    relies: 'Copy Blob From URL of an empty source may be refused',
    test: 'test/unit/adapters/azure/copy.test.ts',
  },
  {
    ...{ id: 'A27', cloud: 'Azure', file: 'adapters/azure/client.ts', source: 'recording' },
    relies: 'names are listed in the order of UTF-16 code units',
    test: 'test/store/conformance/lists.ts',
  },
  {
    ...{ id: 'A29', cloud: 'Azure', file: 'adapters/shared/wire/answers.ts', source: 'recording' },
    relies: "Date is the service's time; Last-Modified may be up to two seconds later, and no clock is read off it",
    test: 'test/unit/store/clock-guard.test.ts',
  },
  {
    ...{ id: 'A30', cloud: 'Azure', file: 'adapters/azure/calls/list.ts', source: 'document' },
    relies: 'startFrom begins at that name',
    test: 'test/store/conformance/lists.ts',
  },
  {
    ...{ id: 'A31', cloud: 'Azure', file: 'adapters/azure/copy-refusals.ts', source: 'nothing' },
    relies: 'an account behind a firewall refuses to read sources by URL with 401, 403 or 404',
    test: 'test/unit/adapters/azure/copy.test.ts',
  },
  {
    ...{ id: 'A32', cloud: 'Azure', file: 'adapters/azure/calls/write.ts', source: 'emulator' },
    relies: 'If-Match on a blob that is absent is a failed condition',
    test: 'test/store/conformance/conditions.ts',
  },
  {
    ...{ id: 'A33', cloud: 'Azure', file: 'adapters/azure/calls/stage.ts', source: 'document' },
    relies: 'blocks that are not committed make no blob, stand in the way of no create, and go with the next commit',
    test: 'test/store/conformance/stagings.ts',
  },
  {
    ...{ id: 'A34', cloud: 'Azure', file: 'adapters/azure/calls/stage.ts', source: 'recording' },
    relies: 'Put Block refuses bytes that do not have the MD5 that it is told, and repeats that MD5',
    test: 'test/store/conformance/parts.ts',
  },
  {
    ...{ id: 'A35', cloud: 'Azure', file: 'adapters/azure/client.ts', source: 'document' },
    relies: 'metadata may have 8 KiB, and no more',
    test: 'test/store/conformance/writes.ts',
  },
  {
    ...{ id: 'A36', cloud: 'Azure', file: 'adapters/azure/endpoint.ts', source: 'document' },
    relies: 'names may have 1,024 characters, and no more',
    test: 'test/store/conformance/writes.ts',
  },
  {
    ...{ id: 'A37', cloud: 'Azure', file: 'adapters/azure/copy-source.ts', source: 'document' },
    relies: 'a signature by a user delegation key lets the service read the source of a copy',
    test: 'test/store/azure-credentials.test.ts',
  },
  {
    ...{ id: 'A38', cloud: 'Azure', file: 'adapters/azure/calls/remove-many.ts', source: 'recording' },
    relies: 'a batch answers each of its calls by itself, failed conditions too',
    test: 'test/store/conformance/removals.ts',
  },
  {
    ...{ ...ANSWERS, id: 'A39', cloud: 'Azure', file: 'adapters/azure/calls/stage.ts' },
    relies:
      'Put Block without a digest is answered by version 2018-11-09 with the MD5 of the bytes, by later ones with a CRC64',
  },
];

const GOOGLE_ROWS: readonly Assumption[] = [
  {
    ...{
      ...GOOGLE,
      ...RECORDED,
      id: 'G1',
      relies: 'codes for what is not there, a range beyond the end, and conditions',
    },
    codes: ['NoSuchKey', 'InvalidRange', 'conditionNotMet'],
  },
  {
    ...{ ...GOOGLE_DOCUMENTED, id: 'G2', relies: 'further codes for these' },
    codes: ['NoSuchBucket', 'requestedRangeNotSatisfiable', 'PreconditionFailed'],
  },
  {
    ...{ ...GOOGLE, ...RECORDED, id: 'G3', relies: "codes for a customer's key that is missing or not wanted" },
    codes: [
      ...['resourceIsEncryptedWithCustomerEncryptionKey', 'ResourceIsEncryptedWithCustomerEncryptionKey'],
      ...['resourceNotEncryptedWithCustomerEncryptionKey'],
    ],
  },
  {
    ...{ ...GOOGLE_DOCUMENTED, id: 'G4', relies: 'further codes for these' },
    codes: [
      ...['ResourceNotEncryptedWithCustomerEncryptionKey', 'customerEncryptionKeyIsIncorrect'],
      ...['CustomerEncryptionKeyIsIncorrect'],
    ],
  },
  {
    ...GOOGLE,
    ...RECORDED,
    id: 'G5',
    relies: 'the code of a rate that is exceeded; no Retry-After comes with it',
    codes: ['rateLimitExceeded'],
  },
  {
    ...{ ...GOOGLE_DOCUMENTED, id: 'G6', relies: 'further codes of rates, quotas and sizes' },
    codes: [
      ...['userRateLimitExceeded', 'dailyLimitExceeded', 'quotaExceeded', 'SlowDown'],
      ...['uploadTooLarge', 'EntityTooLarge'],
    ],
  },
  {
    ...{ ...GOOGLE, ...RECORDED, id: 'G7' },
    relies: 'codes that deny the gateway itself; holds and retention are 403 `forbidden` and say so in words only',
    codes: ['forbidden', 'AccessDenied', 'UserProjectMissing', 'UserProjectAccessDenied'],
  },
  {
    ...{ ...GOOGLE_DOCUMENTED, id: 'G8', relies: 'further codes that deny the gateway itself' },
    codes: [
      ...['accountDisabled', 'AccountProblem', 'insufficientPermissions', 'authError'],
      ...['retentionPolicyNotMet', 'objectUnderActiveHold'],
    ],
  },
  { ...GOOGLE, ...RECORDED, id: 'G20', relies: '`invalid` and `required` (400) say in words only what is wrong' },
  {
    ...{ ...GOOGLE, ...RECORDED, id: 'G21' },
    relies:
      'a 404 names the bucket in words only, which were others in other years; reads, uploads, listings and copies do without them',
  },
  {
    ...{ ...ANSWERS, id: 'G22', cloud: 'Google', file: 'adapters/gcs/resource.ts' },
    relies:
      'the default Cache-Control of reads: private; under keys and where readers pay, nothing to be kept, and Pragma',
  },
  {
    ...{ id: 'G23', cloud: 'Google', file: 'adapters/gcs/calls/read.ts', source: 'recording' },
    relies: 'packed objects come packed with their length or without, or unpacked without Content-Encoding',
    test: 'test/unit/adapters/gcs/packed-answers.test.ts',
  },
  {
    ...{ ...ANSWERS, id: 'G24', cloud: 'Google', file: 'adapters/gcs/calls/read.ts' },
    relies: 'x-goog-stored-content-length and -encoding say what is stored; composed objects have no MD5, others have',
  },
  {
    ...{ id: 'G25', cloud: 'Google', file: 'adapters/gcs/resource.ts', source: 'document' },
    relies: '`no-transform` in Cache-Control keeps what is packed from being unpacked',
    test: 'test/unit/adapters/gcs/resource.test.ts',
  },
  {
    ...{ id: 'G26', cloud: 'Google', file: 'adapters/gcs/calls/copy.ts', source: 'document' },
    relies: 'the token of a rewrite goes on where the call before ended',
    test: 'test/faults/adapters/gcs-parts-and-copies.test.ts',
  },
  {
    ...{ id: 'G27', cloud: 'Google', file: 'adapters/gcs/calls/read.ts', source: 'nothing' },
    relies: 'reads of the XML API heed x-goog-if-generation-match and x-goog-if-metageneration-match',
    test: 'test/store/gcs-contract/reads.ts',
  },
  {
    ...{ id: 'G28', cloud: 'Google', file: 'adapters/gcs/calls/containers.ts', source: 'recording' },
    relies: 'a bucket that was removed, and whose name another project has now, is 403 for lists and changes',
    test: 'test/wire/backends/foreign-buckets.test.ts',
  },
  {
    ...{ id: 'G29', cloud: 'Google', file: 'adapters/gcs/calls/write.ts', source: 'document' },
    relies: 'ifGenerationMatch of another generation than 0, where there is no object, is a failed condition',
    test: 'test/store/conformance/conditions.ts',
  },
  {
    ...{ id: 'G30', cloud: 'Google', file: 'adapters/gcs/names.ts', source: 'document' },
    relies: 'names may have 1,024 bytes of UTF-8, and no more',
    test: 'test/store/gcs-contract/names.ts',
  },
  {
    ...{ id: 'G31', cloud: 'Google', file: 'adapters/gcs/resource.ts', source: 'document' },
    relies: '`fields` leaves everything else out of an answer',
    test: 'test/store/gcs-contract/reads.ts',
  },
  {
    ...{ id: 'G32', cloud: 'Google', file: 'adapters/gcs/calls/remove-many.ts', source: 'recording' },
    relies: 'a batch answers each of its calls by itself, failed conditions too',
    test: 'test/store/gcs-contract/batches.ts',
  },
  {
    ...{ id: 'G33', cloud: 'Google', file: 'adapters/gcs/client.ts', source: 'document' },
    relies: 'custom metadata may have 8 KiB, and no more',
    test: 'test/store/conformance/writes.ts',
  },
  {
    ...{ id: 'G34', cloud: 'Google', file: 'adapters/gcs/client.ts', source: 'recording' },
    relies: 'names are listed in the order of their bytes of UTF-8, and startOffset begins at that name',
    test: 'test/store/gcs-contract/listings.ts',
  },
  {
    ...{ id: 'G35', cloud: 'Google', file: 'adapters/gcs/calls/stage.ts', source: 'recording' },
    relies:
      'an upload answers the MD5 of the bytes (md5Hash), and refuses others than those of the MD5 that it is told',
    test: 'test/store/conformance/parts.ts',
  },
];

export const ASSUMPTIONS: readonly Assumption[] = [...AZURE_CODES, ...AZURE_ANSWERS, ...GOOGLE_ROWS];
