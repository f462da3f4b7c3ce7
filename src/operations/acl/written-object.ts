import { idOf } from '../../access/acl/permits.ts';
import { S3Error } from '../../errors/s3-error.ts';
import type { Acl } from '../../protocol/acl/acl.ts';
import type { HeaderReader } from '../../protocol/request.ts';
import type { OperationContext } from '../operation.ts';
import { requireAlso } from '../permission.ts';
import { refusePublicAcl } from './bucket-rules.ts';
import { type AclTarget, CANNED_HEADER, headerAcl } from './requested-acl.ts';

/** Absent ACL: private to the owner. */
interface WrittenOwnership {
  readonly ownerId: string;
  readonly acl?: Acl;
}

const TO_BUCKET_OWNER = 'bucket-owner-full-control';

/**
 * Who will own an object that is written, and its ACL: what the headers of the request ask for, as far as the bucket
 * lets them. https://docs.aws.amazon.com/AmazonS3/latest/userguide/about-object-ownership.html
 * @throws S3Error AccessControlListNotSupported, AccessDenied (public access block), and as `headerAcl`
 */
export function writtenOwnership(
  headers: HeaderReader,
  { ignoreWrite }: Pick<AclTarget, 'ignoreWrite'>,
  context: OperationContext,
): WrittenOwnership {
  const { bucket, principal } = context;
  const writerId = idOf(principal);
  const asks = asksForAcl(headers);
  if (asks) requireAlso('acl', { bucket, creates: true }, context);
  const { ownership } = bucket.settings;
  const canned = headers.get(CANNED_HEADER);
  const gives =
    ownership === 'BucketOwnerEnforced' || (ownership === 'BucketOwnerPreferred' && canned === TO_BUCKET_OWNER);
  const ownerId = gives ? bucket.ownerId : writerId;
  const target = {
    subject: 'object',
    ownerId,
    bucketOwnerId: bucket.ownerId,
    ...(ignoreWrite && { ignoreWrite }),
  } as const;
  const acl = asks ? headerAcl(headers, target, context) : undefined;
  if (ownership === 'BucketOwnerEnforced') {
    const isOther = canned !== undefined && canned !== TO_BUCKET_OWNER;
    if (isOther || acl?.every(isOwnersFullControl) === false) throw new S3Error('AccessControlListNotSupported');
    return { ownerId };
  }
  if (acl === undefined) return { ownerId };
  refusePublicAcl(acl, bucket.settings);
  return { ownerId, acl };
}

function asksForAcl(headers: HeaderReader): boolean {
  if (headers.get(CANNED_HEADER) !== undefined) return true;
  for (const _grant of headers.startingWith('x-amz-grant-')) return true;
  return false;
}

/** Whether a grant is what `bucket-owner-full-control` means where the bucket's owner owns all objects. */
function isOwnersFullControl({ grantee, permission }: Acl[number]): boolean {
  return grantee.kind === 'owner' && permission === 'FULL_CONTROL';
}
