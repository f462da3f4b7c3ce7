import type { Bucket } from '../manifest/index.ts';
import { type Acl, isPublicGrant } from '../protocol/acl/acl.ts';
import { inForce } from './acl/in-force.ts';
import { policyOf } from './bucket-policy.ts';
import type { ConditionKeys, PolicyCaller } from './policy/context.ts';
import { evaluate } from './policy/evaluate.ts';
import { PolicyWork, TooMuchWork } from './policy/work.ts';

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

const ACTION = 's3:PutObject';
const DELIVERY: PolicyCaller = { service: 'logging.s3.amazonaws.com', arns: [], isRoot: false };

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
 * Whether S3's log delivery may write a log object. The policy of the target lets in the service principal
 * `logging.s3.amazonaws.com`, or the target's ACL grants WRITE and READ_ACP to the group LogDelivery; a statement that
 * denies the write decides. The owner's own permission is none of the delivery's.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/enable-server-access-logging.html#grant-log-delivery-permissions-general
 */
export function mayDeliver(write: LogWrite): boolean {
  const { target, key } = write;
  const policy = policyOf(target);
  if (policy === undefined) return isGrantedByAcl(target);
  const resource = `arn:aws:s3:::${target.name}/${key}`;
  try {
    const { effect } = evaluate([policy], {
      caller: DELIVERY,
      action: ACTION,
      resource,
      keys: new DeliveryKeys(write),
    });
    return effect === 'allow' || (effect === 'none' && isGrantedByAcl(target));
  } catch (error) {
    if (error instanceof TooMuchWork) return false;
    throw error;
  }
}

function isGrantedByAcl(target: Bucket): boolean {
  const { acl = [] } = inForce(target, target);
  const given = acl.flatMap(({ grantee, permission }) =>
    grantee.kind === 'group' && grantee.group === 'LogDelivery' ? [permission] : [],
  );
  return given.includes('FULL_CONTROL') || (given.includes('WRITE') && given.includes('READ_ACP'));
}

/**
 * What conditions can ask of a delivery.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html
 */
class DeliveryKeys implements ConditionKeys {
  readonly #work = new PolicyWork();
  readonly #values: ReadonlyMap<string, string>;

  constructor({ source, accountNumber, now }: LogWrite) {
    this.#work.begin();
    const account = accountNumber === undefined ? {} : { 'aws:sourceaccount': accountNumber };
    this.#values = new Map(
      Object.entries({
        ...account,
        ...(accountNumber !== undefined && {
          'aws:resourceaccount': accountNumber,
          's3:resourceaccount': accountNumber,
        }),
        'aws:sourcearn': `arn:aws:s3:::${source.bucket}`,
        'aws:principalisawsservice': 'true',
        'aws:principalservicename': 'logging.s3.amazonaws.com',
        // The log does not leave the process but for the cloud's own connection.
        'aws:securetransport': 'true',
        'aws:currenttime': new Date(now).toISOString().replace(/\.\d{3}Z$/, 'Z'),
        'aws:epochtime': String(Math.floor(now / 1000)),
      }),
    );
  }

  get(key: string): string | undefined {
    return this.#values.get(key);
  }

  spend(steps: number): void {
    this.#work.spend(steps);
  }
}
