import type { StoreErrorKind } from '../../../src/store/store-error.ts';

/** One form of refusal that the service was recorded to give; names are replaced. */
interface RecordedRefusal {
  readonly status: number;
  readonly code?: string;
  readonly words?: string;
  /** The document: JSON, XML, or plain words. */
  readonly in: 'json' | 'xml' | 'text';
  /** What the request says that a 404 or a 409 means. */
  readonly missing: 'object' | 'bucket';
  readonly conflict?: StoreErrorKind;
  /** What it has to mean. */
  readonly kind: StoreErrorKind;
}

/**
 * Facts about refusals of Cloud Storage, each seen in recordings that public test suites made of it between 2018 and
 * 2026 (those of Google's own clients for Go above all).
 */
export const GCS_REFUSALS: readonly RecordedRefusal[] = [
  { status: 304, in: 'text', missing: 'object', kind: 'unexpected' },
  { status: 308, in: 'text', missing: 'bucket', kind: 'unexpected' },
  {
    status: 400,
    code: 'ResourceIsEncryptedWithCustomerEncryptionKey',
    words: 'The resource is encrypted with a customer encryption key.',
    in: 'xml',
    missing: 'object',
    kind: 'keyRefused',
  },
  {
    status: 400,
    code: 'UserProjectMissing',
    words: 'Bucket is a requester pays bucket but no user project provided.',
    in: 'xml',
    missing: 'object',
    kind: 'denied',
  },
  {
    status: 400,
    code: 'invalid',
    words: "Disallowed unicode characters present in object name ''new lines''",
    in: 'json',
    missing: 'bucket',
    kind: 'invalidName',
  },
  {
    status: 400,
    code: 'invalid',
    words: 'Provided CRC32C "A" doesn\'t match calculated CRC32C "A".',
    in: 'json',
    missing: 'bucket',
    kind: 'digestMismatch',
  },
  {
    status: 400,
    code: 'invalid',
    words: 'Provided MD5 hash "A" doesn\'t match calculated MD5 hash "A".',
    in: 'json',
    missing: 'bucket',
    kind: 'digestMismatch',
  },
  {
    status: 400,
    code: 'invalid',
    words: "The maximum object length is 1024 characters, but got a name with 1025 characters: ''aaa...''",
    in: 'json',
    missing: 'bucket',
    kind: 'invalidName',
  },
  {
    status: 400,
    code: 'required',
    words: 'Bucket is requester pays bucket but no user project provided.',
    in: 'json',
    missing: 'bucket',
    kind: 'denied',
  },
  {
    status: 400,
    code: 'required',
    words: 'Bucket is requester pays bucket but no user project provided.',
    in: 'json',
    missing: 'object',
    kind: 'denied',
  },
  { status: 400, code: 'required', words: 'No object name', in: 'json', missing: 'bucket', kind: 'invalidName' },
  { status: 400, code: 'required', words: 'Required', in: 'json', missing: 'bucket', kind: 'unexpected' },
  { status: 400, code: 'required', words: 'Required', in: 'json', missing: 'object', kind: 'unexpected' },
  {
    status: 400,
    code: 'resourceIsEncryptedWithCustomerEncryptionKey',
    words: 'The target object is encrypted by a customer-supplied encryption key.',
    in: 'json',
    missing: 'object',
    kind: 'keyRefused',
  },
  {
    status: 400,
    code: 'resourceNotEncryptedWithCustomerEncryptionKey',
    words: 'The target object is not encrypted by a customer-supplied encryption key.',
    in: 'json',
    missing: 'object',
    kind: 'keyRefused',
  },
  {
    status: 401,
    code: 'required',
    words: 'Anonymous caller does not have storage.objects.create access to b/o.',
    in: 'json',
    missing: 'bucket',
    kind: 'denied',
  },
  { status: 403, code: 'AccessDenied', words: 'Access denied.', in: 'xml', missing: 'object', kind: 'denied' },
  {
    status: 403,
    code: 'UserProjectAccessDenied',
    words: 'Requester does not have serviceusage.services.use permissions on user project.',
    in: 'xml',
    missing: 'object',
    kind: 'denied',
  },
  {
    status: 403,
    code: 'forbidden',
    words: "Cannot reduce retention duration of a locked Retention Policy for bucket 'b'.",
    in: 'json',
    missing: 'bucket',
    kind: 'denied',
  },
  {
    status: 403,
    code: 'forbidden',
    words:
      "Object 'b/o' is subject to bucket's retention policy and cannot be deleted, overwritten or archived until 2019-02-13",
    in: 'json',
    missing: 'object',
    kind: 'denied',
  },
  {
    status: 403,
    code: 'forbidden',
    words: 'somebody does not have serviceusage.services.use access to project 1.',
    in: 'json',
    missing: 'bucket',
    kind: 'denied',
  },
  {
    status: 403,
    code: 'forbidden',
    words: 'somebody does not have serviceusage.services.use access to project 1.',
    in: 'json',
    missing: 'object',
    kind: 'denied',
  },
  {
    status: 403,
    code: 'forbidden',
    words: 'somebody does not have storage.buckets.delete access to the Google Cloud project.',
    in: 'json',
    missing: 'bucket',
    kind: 'denied',
  },
  {
    status: 403,
    code: 'forbidden',
    words:
      "somebody does not have storage.objects.list access to the Google Cloud Storage bucket. Permission 'storage.objects.list' denied on resource (or it may not exist).",
    in: 'json',
    missing: 'bucket',
    kind: 'denied',
  },
  {
    status: 404,
    code: 'NoSuchKey',
    words: 'The specified key does not exist.',
    in: 'xml',
    missing: 'object',
    kind: 'notFound',
  },
  { status: 404, code: 'notFound', words: 'No such object: b/o', in: 'json', missing: 'object', kind: 'notFound' },
  { status: 404, code: 'notFound', words: 'Not Found', in: 'json', missing: 'bucket', kind: 'containerNotFound' },
  {
    status: 404,
    code: 'notFound',
    words: 'The specified bucket does not exist.',
    in: 'json',
    missing: 'bucket',
    kind: 'containerNotFound',
  },
  { status: 404, words: 'No such object: b/o', in: 'text', missing: 'object', kind: 'notFound' },
  {
    status: 409,
    code: 'conflict',
    words: 'You already own this bucket. Please select another name.',
    in: 'json',
    missing: 'bucket',
    conflict: 'containerExists',
    kind: 'containerExists',
  },
  {
    status: 412,
    code: 'conditionNotMet',
    words: 'At least one of the pre-conditions you specified did not hold.',
    in: 'json',
    missing: 'bucket',
    kind: 'conditionFailed',
  },
  {
    status: 412,
    code: 'conditionNotMet',
    words: 'At least one of the pre-conditions you specified did not hold.',
    in: 'json',
    missing: 'object',
    kind: 'conditionFailed',
  },
  {
    status: 412,
    code: 'conditionNotMet',
    words: 'Precondition Failed',
    in: 'json',
    missing: 'object',
    kind: 'conditionFailed',
  },
  {
    status: 416,
    code: 'InvalidRange',
    words: 'The requested range cannot be satisfied.',
    in: 'xml',
    missing: 'object',
    kind: 'rangeNotSatisfiable',
  },
  {
    status: 429,
    code: 'rateLimitExceeded',
    words:
      'The object B/N exceeded the rate limit for object mutation operations (create, update, and delete). Please reduce your request rate. See https://cloud.google.com/storage/docs/gcs429.',
    in: 'json',
    missing: 'bucket',
    kind: 'throttled',
  },
  { status: 429, in: 'text', missing: 'bucket', conflict: 'containerExists', kind: 'throttled' },
  { status: 429, in: 'text', missing: 'bucket', kind: 'throttled' },
];
