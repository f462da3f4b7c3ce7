import type { Bucket } from '../manifest/index.ts';
import { type Acl, isPublicGrant } from '../protocol/acl/acl.ts';
import { inForce } from './acl/in-force.ts';
import { judgeServiceWrite, unmetWords } from './service-delivery.ts';

/** Whose log a log object is. */
export interface LogSource {
  readonly bucket: string;
  /** Canonical id. */
  readonly ownerId: string;
  /** What log objects grant besides. */
  readonly grants?: Acl | undefined;
}

/**
 * Why a bucket cannot be the target of another bucket's log at all, whatever it permits; undefined: it can. A log must
 * not leave the account, even where the target was removed and another account has made a bucket of its name.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/ServerLogs.html
 */
export function unfitTarget({ ownerId, settings }: Bucket, source: LogSource): string | undefined {
  const { objectLock, encryption, ownership, publicAccessBlock } = settings;
  if (ownerId !== source.ownerId) {
    return 'The owner for the bucket to be logged and the target bucket must be the same.';
  }
  if (objectLock?.default !== undefined) {
    return 'The target bucket for logging must not have a default retention.';
  }
  if (encryption?.kms !== undefined) {
    return 'The target bucket for logging must not encrypt with a KMS key by default.';
  }
  const { grants = [] } = source;
  if (grants.length > 0 && ownership === 'BucketOwnerEnforced') {
    return 'The target bucket for logging does not allow ACLs, and so no target grants.';
  }
  if (publicAccessBlock?.blockPublicAcls === true && grants.some(isPublicGrant)) {
    return 'The target bucket for logging blocks public ACLs, and so public target grants.';
  }
  return undefined;
}

const SERVICE = 'logging.s3.amazonaws.com';

/** One log object that is to be written. */
interface LogWrite {
  readonly target: Bucket;
  readonly key: string;
  readonly source: LogSource;
  /** Twelve digits of the owner's account; undefined: it is no longer configured. */
  readonly accountNumber: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Why S3's log delivery may not write a log object; undefined: it may. The policy of the target lets in the service
 * principal `logging.s3.amazonaws.com`, or the target's ACL grants WRITE and READ_ACP to the group LogDelivery; a
 * statement that denies the write decides. The owner's own permission is none of the delivery's.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/enable-server-access-logging.html#grant-log-delivery-permissions-general
 */
export function deliveryRefusal({ target, key, source, accountNumber, now }: LogWrite): string | undefined {
  const { effect, unmet } = judgeServiceWrite({
    service: SERVICE,
    target,
    key,
    source: { bucket: source.bucket, account: accountNumber },
    targetAccount: accountNumber,
    now,
  });
  if (effect === 'allow' || (effect === 'none' && isGrantedByAcl(target))) return undefined;
  if (effect === 'deny') return 'the policy of the target bucket denies the log delivery the write';
  const reason = 'neither policy nor ACL of the target bucket lets the log delivery write';
  return unmet === undefined ? reason : `${reason}: ${unmetWords(unmet)}`;
}

function isGrantedByAcl(target: Bucket): boolean {
  const { acl = [] } = inForce(target, target);
  const given = acl.flatMap(({ grantee, permission }) =>
    grantee.kind === 'group' && grantee.group === 'LogDelivery' ? [permission] : [],
  );
  return given.includes('FULL_CONTROL') || (given.includes('WRITE') && given.includes('READ_ACP'));
}
