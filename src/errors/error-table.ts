/**
 * Every error code the gateway can answer, with its status and AWS's own default message
 * (clients and test suites compare the texts). Source: "Error responses" of the S3 API reference.
 */
interface ErrorRow {
  readonly status: number;
  readonly message: string;
}

function table<const T extends Record<string, ErrorRow>>(rows: T): Readonly<Record<keyof T, ErrorRow>> {
  return rows;
}

export const ERROR_TABLE = table({
  AccessControlListNotSupported: { status: 400, message: 'The bucket does not allow ACLs' },
  AccessDenied: { status: 403, message: 'Access Denied' },
  AccessForbidden: {
    status: 403,
    message:
      "CORSResponse: This CORS request is not allowed. This is usually because the evalution of Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's CORS spec.",
  },
  AccountProblem: {
    status: 403,
    message: 'There is a problem with your account that prevents the operation from completing successfully.',
  },
  AmbiguousGrantByEmailAddress: {
    status: 400,
    message: 'The email address you provided is associated with more than one account.',
  },
  AuthorizationHeaderMalformed: { status: 400, message: 'The authorization header you provided is invalid.' },
  AuthorizationQueryParametersError: {
    status: 400,
    message:
      'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.',
  },
  BadDigest: { status: 400, message: 'The Content-MD5 you specified did not match what we received.' },
  BadRequest: { status: 400, message: 'Bad Request' },
  BucketAlreadyExists: {
    status: 409,
    message:
      'The requested bucket name is not available. The bucket namespace is shared by all users of the system. Please select a different name and try again.',
  },
  BucketAlreadyOwnedByYou: {
    status: 409,
    message: 'Your previous request to create the named bucket succeeded and you already own it.',
  },
  BucketNotEmpty: { status: 409, message: 'The bucket you tried to delete is not empty' },
  ConditionalRequestConflict: {
    status: 409,
    message: 'The conditional request cannot succeed due to a conflicting operation against this resource.',
  },
  EntityTooLarge: { status: 400, message: 'Your proposed upload exceeds the maximum allowed size' },
  EntityTooSmall: { status: 400, message: 'Your proposed upload is smaller than the minimum allowed size' },
  ExpiredToken: { status: 400, message: 'The provided token has expired.' },
  IdMismatch: { status: 400, message: 'Document ID does not match the specified configuration ID.' },
  IllegalLocationConstraintException: { status: 400, message: 'The specified location-constraint is not valid' },
  IllegalVersioningConfigurationException: { status: 400, message: 'The Versioning element must be specified' },
  IncompleteBody: {
    status: 400,
    message: 'You did not provide the number of bytes specified by the Content-Length HTTP header',
  },
  InternalError: { status: 500, message: 'We encountered an internal error. Please try again.' },
  InvalidAccessKeyId: { status: 403, message: 'The AWS Access Key Id you provided does not exist in our records.' },
  InvalidArgument: { status: 400, message: 'Invalid Argument' },
  InvalidBucketAclWithObjectOwnership: {
    status: 400,
    message: "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting",
  },
  InvalidBucketAclWithBlockPublicAccessError: {
    status: 400,
    message: 'Bucket cannot have public ACLs set with BlockPublicAccess enabled',
  },
  InvalidBucketName: { status: 400, message: 'The specified bucket is not valid.' },
  InvalidBucketState: { status: 409, message: 'The request is not valid for the current state of the bucket.' },
  InvalidChunkSizeError: { status: 403, message: 'Only the last chunk is allowed to have a size less than 8192 bytes' },
  InvalidDigest: { status: 400, message: 'The Content-MD5 you specified was invalid.' },
  'KMS.NotFoundException': { status: 400, message: 'The specified KMS key does not exist.' },
  InvalidEncryptionAlgorithmError: {
    status: 400,
    message: 'The Encryption request you specified is not valid. Supported value: AES256.',
  },
  InvalidLocationConstraint: { status: 400, message: 'The specified location-constraint is not valid' },
  InvalidObjectState: { status: 403, message: "The operation is not valid for the object's storage class" },
  InvalidPart: {
    status: 400,
    message:
      "One or more of the specified parts could not be found.  The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
  },
  InvalidPartNumber: { status: 416, message: 'The requested partnumber is not satisfiable' },
  InvalidPartOrder: {
    status: 400,
    message: 'The list of parts was not in ascending order. Parts must be ordered by part number.',
  },
  InvalidPolicyDocument: {
    status: 400,
    message: 'The content of the form does not meet the conditions specified in the policy document.',
  },
  InvalidRange: { status: 416, message: 'The requested range is not satisfiable' },
  InvalidRedirectLocation: {
    status: 400,
    message: "The website redirect location must have a prefix of 'http://' or 'https://' or '/'.",
  },
  InvalidRequest: { status: 400, message: 'Invalid Request' },
  InvalidRetentionPeriod: { status: 400, message: 'Default retention period must be a positive integer value.' },
  RestoreAlreadyInProgress: { status: 409, message: 'Object restore is already in progress' },
  InvalidS3DestinationBucket: { status: 400, message: 'Invalid bucket ARN.' },
  InvalidStorageClass: { status: 400, message: 'The storage class you specified is not valid' },
  InvalidTag: { status: 400, message: 'The tag provided was not a valid tag.' },
  InvalidTargetBucketForLogging: { status: 400, message: 'The target bucket for logging does not exist' },
  InvalidToken: { status: 400, message: 'The provided token is malformed or otherwise invalid.' },
  InvalidURI: { status: 400, message: "Couldn't parse the specified URI." },
  KeyTooLongError: { status: 400, message: 'Your key is too long' },
  MalformedACLError: {
    status: 400,
    message: 'The XML you provided was not well-formed or did not validate against our published schema',
  },
  MalformedPOSTRequest: {
    status: 400,
    message: 'The body of your POST request is not well-formed multipart/form-data.',
  },
  MalformedPolicy: { status: 400, message: "Policies must be valid JSON and the first byte must be '{'" },
  MalformedTrailerError: {
    status: 400,
    message: 'The request contained trailing data that was not well-formed or did not conform to our published schema.',
  },
  MalformedXML: {
    status: 400,
    message: 'The XML you provided was not well-formed or did not validate against our published schema',
  },
  MaxPostPreDataLengthExceeded: {
    status: 400,
    message: 'Your POST request fields preceding the upload file were too large.',
  },
  MaxMessageLengthExceeded: { status: 400, message: 'Your request was too big.' },
  MetadataConfigurationNotFound: { status: 404, message: 'The metadata configuration was not found' },
  MetadataTooLarge: { status: 400, message: 'Your metadata headers exceed the maximum allowed metadata size' },
  MethodNotAllowed: { status: 405, message: 'The specified method is not allowed against this resource.' },
  MissingContentLength: { status: 411, message: 'You must provide the Content-Length HTTP header.' },
  MissingRequestBodyError: { status: 400, message: 'Request Body is empty' },
  MissingSecurityHeader: { status: 400, message: 'Your request was missing a required header' },
  NoSuchBucket: { status: 404, message: 'The specified bucket does not exist' },
  NoSuchBucketPolicy: { status: 404, message: 'The bucket policy does not exist' },
  NoSuchCORSConfiguration: { status: 404, message: 'The CORS configuration does not exist' },
  NoSuchConfiguration: { status: 404, message: 'The specified configuration does not exist.' },
  NoSuchKey: { status: 404, message: 'The specified key does not exist.' },
  NoSuchLifecycleConfiguration: { status: 404, message: 'The lifecycle configuration does not exist' },
  NoSuchObjectLockConfiguration: {
    status: 404,
    message: 'The specified object does not have a ObjectLock configuration',
  },
  NoSuchPublicAccessBlockConfiguration: { status: 404, message: 'The public access block configuration was not found' },
  NoSuchTagSet: { status: 404, message: 'The TagSet does not exist' },
  NoSuchUpload: {
    status: 404,
    message:
      'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
  },
  NoSuchVersion: { status: 404, message: 'The specified version does not exist.' },
  NoSuchWebsiteConfiguration: { status: 404, message: 'The specified bucket does not have a website configuration' },
  NotImplemented: { status: 501, message: 'A header you provided implies functionality that is not implemented' },
  ObjectLockConfigurationNotFoundError: {
    status: 404,
    message: 'Object Lock configuration does not exist for this bucket',
  },
  OperationAborted: {
    status: 409,
    message: 'A conflicting conditional operation is currently in progress against this resource. Please try again.',
  },
  OwnershipControlsNotFoundError: { status: 404, message: 'The bucket ownership controls were not found' },
  PermanentRedirect: {
    status: 301,
    message:
      'The bucket you are attempting to access must be addressed using the specified endpoint. Please send all future requests to this endpoint.',
  },
  PreconditionFailed: { status: 412, message: 'At least one of the pre-conditions you specified did not hold' },
  // Not S3's, which has no quotas. Ceph's gateway answers so.
  QuotaExceeded: { status: 403, message: 'The quota of the bucket or account does not allow it.' },
  ReplicationConfigurationNotFoundError: { status: 404, message: 'The replication configuration was not found' },
  RequestHeaderSectionTooLarge: {
    status: 400,
    message: 'Your request header section exceeds the maximum allowed size.',
  },
  RequestTimeTooSkewed: {
    status: 403,
    message: 'The difference between the request time and the current time is too large.',
  },
  RequestTimeout: {
    status: 400,
    message: 'Your socket connection to the server was not read from or written to within the timeout period.',
  },
  ServiceUnavailable: { status: 503, message: 'Service is unable to handle request.' },
  SignatureDoesNotMatch: {
    status: 403,
    message:
      'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  },
  SlowDown: { status: 503, message: 'Please reduce your request rate.' },
  TooManyConfigurations: {
    status: 400,
    message: 'You are attempting to create a new configuration but have already reached the 1,000-configuration limit.',
  },
  TooManyBuckets: { status: 400, message: 'You have attempted to create more buckets than allowed' },
  UnexpectedContent: { status: 400, message: 'This request does not support content' },
  UnresolvableGrantByEmailAddress: {
    status: 400,
    message: 'The email address you provided does not match any account on record.',
  },
  XAmzContentSHA256Mismatch: {
    status: 400,
    message: "The provided 'x-amz-content-sha256' header does not match what was computed.",
  },
} as const);

export type S3ErrorCode = keyof typeof ERROR_TABLE;
