import { resolveGrant } from '../../../access/acl/resolve-grant.ts';
import { unfitTarget } from '../../../access/log-delivery.ts';
import { S3Error, isS3Error } from '../../../errors/s3-error.ts';
import type { Bucket } from '../../../manifest/index.ts';
import { checkKeyLength } from '../../../protocol/address.ts';
import { isBucketName } from '../../../protocol/bucket-name.ts';
import type { BucketLogging } from '../../../protocol/logging/bucket-logging.ts';
import { logKey } from '../../../protocol/logging/log-key.ts';
import { type RequestedLogging, parseLoggingDocument } from '../../../protocol/logging/logging-document.ts';
import type { OperationContext } from '../../operation.ts';

/**
 * Reads the document of PutBucketLogging. As S3, it accepts a target that does not let the log delivery in yet: that is
 * judged at each delivery. https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketLogging.html
 * @throws S3Error MalformedXML, InvalidTargetBucketForLogging, KeyTooLongError (the prefix leaves no room for a name),
 * SlowDown, and of grants as PutBucketAcl
 */
export async function requestedLogging(
  body: Buffer,
  source: Bucket,
  { context }: { readonly context: OperationContext },
): Promise<BucketLogging | undefined> {
  const requested = parseLoggingDocument(body);
  if (requested === undefined) return undefined;
  const { grants, ...logging } = requested;
  const { ownerId } = source;
  const target = await findTarget(requested, context);
  const scope = { ownerId, accounts: context.accounts, isAnonymous: context.principal.kind === 'anonymous' };
  const targetGrants = grants.map((grant) => resolveGrant(grant, scope));
  const reason =
    unfitTarget(target, { bucket: source.name, ownerId, grants: targetGrants }) ?? readOnly(target, context);
  if (reason !== undefined) throw invalidTarget(target.name, reason);
  const account = context.accounts.byCanonicalId(ownerId)?.accountNumber ?? ownerId;
  const place = { bucket: source.name, account, region: context.settings.region };
  checkKeyLength(logKey(logging, place, Date.now()));
  return { ...logging, ...(targetGrants.length > 0 && { targetGrants }) };
}

async function findTarget({ targetBucket }: RequestedLogging, context: OperationContext): Promise<Bucket> {
  if (!isBucketName(targetBucket)) throw invalidTarget(targetBucket);
  context.alsoOnBucket(targetBucket);
  try {
    return await context.manifest.buckets.get(targetBucket, context.call);
  } catch (error) {
    throw isS3Error(error, 'NoSuchBucket') ? invalidTarget(targetBucket) : error;
  }
}

function readOnly({ name }: Bucket, { settings }: OperationContext): string | undefined {
  return settings.isReadOnly?.(name) === true ? 'The target bucket for logging is read-only here.' : undefined;
}

/** @param message absent: it does not exist */
function invalidTarget(targetBucket: string, message?: string): S3Error {
  return new S3Error('InvalidTargetBucketForLogging', {
    ...(message !== undefined && { message }),
    extra: { TargetBucket: targetBucket },
  });
}
