import { ACL_HEADERS } from '../protocol/acl/grant-headers.ts';
import type { HeaderReader } from '../protocol/request.ts';

/** The part of a request that says what its headers are worth. */
interface Asked {
  readonly operation: string;
  readonly headers: HeaderReader;
}

/** They make an object, or begin to, of what their headers say. */
const MAKING = ['PutObject', 'PostObject', 'CopyObject', 'CreateMultipartUpload'];
const COMMITTING = ['PutObject', 'PostObject', 'CopyObject', 'CompleteMultipartUpload'];

/**
 * Headers that policies ask for, by the operations that do what they say. To all others they say nothing: a policy that
 * lets in whoever sends a header does not let in who sends it where nobody reads it.
 */
const HEEDED: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  (
    [
      [ACL_HEADERS, [...MAKING, 'CreateBucket', 'PutBucketAcl', 'PutObjectAcl']],
      [
        [
          'x-amz-storage-class',
          'x-amz-server-side-encryption',
          'x-amz-server-side-encryption-aws-kms-key-id',
          'x-amz-server-side-encryption-customer-algorithm',
          'x-amz-website-redirect-location',
          'x-amz-object-lock-mode',
          'x-amz-object-lock-retain-until-date',
          'x-amz-object-lock-legal-hold',
          'x-amz-tagging',
        ],
        MAKING,
      ],
      [['x-amz-copy-source'], ['CopyObject', 'UploadPartCopy']],
      [['x-amz-metadata-directive'], ['CopyObject']],
      [['x-amz-object-ownership'], ['CreateBucket']],
      [['if-match'], [...COMMITTING, 'DeleteObject']],
      [['if-none-match'], COMMITTING],
    ] satisfies [readonly string[], readonly string[]][]
  ).flatMap(([names, operations]) => names.map((name): [string, ReadonlySet<string>] => [name, new Set(operations)])),
);

/** All headers that policies may ask for as keys of S3 with their own names. */
export const HEADER_KEYS: readonly string[] = [
  ...[...HEEDED.keys()].filter((name) => !name.startsWith('x-amz-object-lock-') && name !== 'x-amz-tagging'),
  'x-amz-content-sha256',
];

/** The value of a header, where the operation does what it says. @param name lower case */
export function heededHeader({ operation, headers }: Asked, name: string): string | undefined {
  if (HEEDED.get(name)?.has(operation) === false) return undefined;
  // Of a copy that keeps the tags of its source, the header says nothing.
  if (name === 'x-amz-tagging' && operation === 'CopyObject') {
    if (headers.get('x-amz-tagging-directive') !== 'REPLACE') return undefined;
  }
  return headers.get(name);
}
