import { escapePattern } from '../policy/pattern.ts';

/** The common case of a policy: some buckets, perhaps a part of them, perhaps without changes. */
interface ShortForm {
  /** Names of buckets; `*` and `?` stand for any characters. */
  readonly buckets: readonly string[];
  /** Only keys that begin so; taken as it is. */
  readonly prefix?: string | undefined;
  readonly readOnly?: boolean | undefined;
}

/** These can be limited by `s3:prefix`. */
const LIST = ['s3:ListBucket', 's3:ListBucketVersions'];
const LIST_UPLOADS = 's3:ListBucketMultipartUploads';
const LOOK = ['s3:GetBucketLocation', 's3:GetBucketVersioning', 's3:GetBucketObjectLockConfiguration'];
const READ = [
  's3:GetObject',
  's3:GetObjectVersion',
  's3:GetObjectTagging',
  's3:GetObjectVersionTagging',
  's3:GetObjectAttributes',
  's3:GetObjectVersionAttributes',
  's3:GetObjectRetention',
  's3:GetObjectLegalHold',
];
const WRITE = [
  's3:PutObject',
  's3:DeleteObject',
  's3:DeleteObjectVersion',
  's3:AbortMultipartUpload',
  's3:ListMultipartUploadParts',
  's3:PutObjectTagging',
  's3:PutObjectVersionTagging',
  's3:DeleteObjectTagging',
  's3:DeleteObjectVersionTagging',
];

/**
 * ACLs that clients ask for although they ask for nothing: `private` is what an object without ACL has, and the other
 * one is its like within an account. S3 wants `s3:PutObjectAcl` for both, and some clients send one with every upload.
 */
const HARMLESS_ACLS = ['private', 'bucket-owner-full-control'];

/**
 * The policy document that a short form stands for, JSON. Settings of the bucket, ACLs that let others in, locks, and
 * making or deleting buckets are not in it; a prefix limits listings by `s3:prefix`, so that one of the whole bucket is
 * refused, and takes away that of uploads, which no policy can limit so.
 */
export function expandShortForm({ buckets, prefix = '', readOnly = false }: ShortForm): string {
  const arns = buckets.map((bucket) => `arn:aws:s3:::${bucket}`);
  const literal = escapePattern(prefix);
  const condition = prefix === '' ? {} : { Condition: { StringLike: { 's3:prefix': `${literal}*` } } };
  const objects = arns.map((arn) => `${arn}/${literal}*`);
  const keepPrivate = {
    Sid: 'KeepPrivate',
    Effect: 'Allow',
    Action: 's3:PutObjectAcl',
    Resource: objects,
    Condition: { StringEquals: { 's3:x-amz-acl': HARMLESS_ACLS } },
  };
  return JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      { Sid: 'Look', Effect: 'Allow', Action: prefix === '' ? [...LOOK, LIST_UPLOADS] : LOOK, Resource: arns },
      { Sid: 'List', Effect: 'Allow', Action: LIST, Resource: arns, ...condition },
      {
        Sid: readOnly ? 'Read' : 'ReadAndWrite',
        Effect: 'Allow',
        Action: readOnly ? READ : [...READ, ...WRITE],
        Resource: objects,
      },
      ...(readOnly ? [] : [keepPrivate]),
    ],
  });
}
