import { ACL_HEADERS } from '../protocol/acl/grant-headers.ts';
import type { HeaderReader } from '../protocol/request.ts';

/** The part of a request that decides whether a header counts. */
interface Asked {
  readonly operation: string;
  readonly headers: HeaderReader;
}

/** What an object is given when it is made, and policies have conditions on. */
const OBJECT_HEADERS = [
  'x-amz-storage-class',
  'x-amz-server-side-encryption',
  'x-amz-server-side-encryption-aws-kms-key-id',
  'x-amz-server-side-encryption-customer-algorithm',
  'x-amz-website-redirect-location',
  'x-amz-object-lock-mode',
  'x-amz-object-lock-retain-until-date',
  'x-amz-object-lock-legal-hold',
  'x-amz-tagging',
];
/** The same, and who may do what with it. */
export const CREATION_HEADERS: readonly string[] = [...ACL_HEADERS, ...OBJECT_HEADERS];

/** Operations that make an object, or begin to, with the properties that their headers name. */
const MAKING = ['PutObject', 'PostObject', 'CopyObject', 'CreateMultipartUpload'];
const COMMITTING = ['PutObject', 'PostObject', 'CopyObject', 'CompleteMultipartUpload'];

/**
 * The headers that policies have conditions on, and the operations that act on each. For any other operation the header
 * counts as absent: a policy that allows requests with a header must not allow a request for an operation that ignores
 * the header.
 */
const HEEDED: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  (
    [
      [ACL_HEADERS, [...MAKING, 'CreateBucket', 'PutBucketAcl', 'PutObjectAcl']],
      [OBJECT_HEADERS, MAKING],
      [['x-amz-copy-source'], ['CopyObject', 'UploadPartCopy']],
      [['x-amz-metadata-directive'], ['CopyObject']],
      [['x-amz-object-ownership'], ['CreateBucket']],
      [['if-match'], [...COMMITTING, 'DeleteObject']],
      [['if-none-match'], COMMITTING],
    ] satisfies [readonly string[], readonly string[]][]
  ).flatMap(([names, operations]) => names.map((name): [string, ReadonlySet<string>] => [name, new Set(operations)])),
);

/** All headers that are condition keys of S3 under their own names. */
export const HEADER_KEYS: readonly string[] = [
  ...[...HEEDED.keys()].filter((name) => !name.startsWith('x-amz-object-lock-') && name !== 'x-amz-tagging'),
  'x-amz-content-sha256',
];

/** The value of a header if the operation acts on it. @param name lower case */
export function heededHeader({ operation, headers }: Asked, name: string): string | undefined {
  if (HEEDED.get(name)?.has(operation) === false) return undefined;
  // A copy that keeps the tags of its source ignores this header.
  if (name === 'x-amz-tagging' && operation === 'CopyObject') {
    if (headers.get('x-amz-tagging-directive') !== 'REPLACE') return undefined;
  }
  return headers.get(name);
}
