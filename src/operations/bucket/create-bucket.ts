import { S3Error, invalidArgument } from '../../errors/s3-error.ts';
import type { BucketSettings } from '../../manifest/records/bucket.ts';
import type { CreateBucketRequest } from '../../manifest/buckets/bucket-create.ts';
import { isPublicGrant } from '../../protocol/acl/acl.ts';
import { OWNERSHIPS, type Ownership } from '../../protocol/acl/ownership.ts';
import { decodeXml } from '../../protocol/xml/decode.ts';
import { CREATE_BUCKET_CONFIGURATION } from '../../protocol/xml/bucket-shapes.ts';
import type { HeaderReader, S3Request } from '../../protocol/request.ts';
import { requireOwnAcl } from '../acl/bucket-rules.ts';
import { headerAcl } from '../acl/requested-acl.ts';
import { bucketName, callerId } from '../authorized-bucket.ts';
import type { NewBuckets, Operation, OperationContext } from '../operation.ts';
import { requireAccess } from '../require-access.ts';
import { refuseUnsupported } from '../unsupported-headers.ts';

const MAX_BODY = 64 * 1024;
const DEFAULT_REGION = 'us-east-1';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html */
export const createBucket: Operation = async (request, context) => {
  const name = bucketName(request);
  const ownerId = callerId(context);
  requireAccess({}, context);
  refuseUnsupported(request.headers);
  const defaults = NEW_BUCKETS[context.settings.newBuckets];
  const settings = requestedSettings(request.headers, ownerId, context);
  requireConsistent({ ...defaults, ...settings });
  await requireLocation(request, context.settings.region);

  const created = await context.manifest.buckets.create({ name, ownerId, settings, defaults }, context.call);
  // us-east-1 answers a repeated CreateBucket of the owner with 200, every other region with 409.
  if (!created && context.settings.region !== DEFAULT_REGION) throw new S3Error('BucketAlreadyOwnedByYou', { extra: { BucketName: name } });
  return { status: 200, headers: { location: `/${name}` } };
};

/** What a bucket has that is made without a word about it. */
const NEW_BUCKETS: Readonly<Record<NewBuckets, BucketSettings>> = {
  open: {},
  aws: {
    ownership: 'BucketOwnerEnforced',
    publicAccessBlock: { blockPublicAcls: true, ignorePublicAcls: true, blockPublicPolicy: true, restrictPublicBuckets: true },
  },
};

function requestedSettings(headers: HeaderReader, ownerId: string, { accounts }: OperationContext): NonNullable<CreateBucketRequest['settings']> {
  const acl = headerAcl(headers, { subject: 'bucket', ownerId, bucketOwnerId: ownerId }, accounts);
  const ownership = requestedOwnership(headers);
  return {
    ...(acl !== undefined && { acl }),
    ...(ownership !== undefined && { ownership }),
    ...(wantsObjectLock(headers) && { objectLock: {} }),
  };
}

/** @throws S3Error InvalidArgument */
function requestedOwnership(headers: HeaderReader): Ownership | undefined {
  const name = 'x-amz-object-ownership';
  const value = headers.get(name);
  if (value === undefined) return undefined;
  const ownership = OWNERSHIPS.find((known) => known === value);
  if (ownership === undefined) throw invalidArgument(name, value, 'Invalid Object Ownership value');
  return ownership;
}

/** @throws S3Error InvalidArgument */
function wantsObjectLock(headers: HeaderReader): boolean {
  const name = 'x-amz-bucket-object-lock-enabled';
  const value = headers.get(name) ?? 'false';
  if (!/^(?:true|false)$/i.test(value)) throw invalidArgument(name, value, 'Expected true or false');
  return value.toLowerCase() === 'true';
}

/** @throws S3Error InvalidBucketAclWithObjectOwnership, InvalidBucketAclWithBlockPublicAccessError */
function requireConsistent(settings: BucketSettings): void {
  requireOwnAcl(settings);
  if (settings.publicAccessBlock?.blockPublicAcls === true && settings.acl?.some(isPublicGrant) === true) {
    throw new S3Error('InvalidBucketAclWithBlockPublicAccessError');
  }
}

/** Outside us-east-1 the constraint must be the endpoint's region. @throws S3Error IllegalLocationConstraintException, MalformedXML */
async function requireLocation(request: S3Request, region: string): Promise<void> {
  const body = await request.body.readAll(MAX_BODY);
  const location = body.length === 0 ? undefined : decodeXml(CREATE_BUCKET_CONFIGURATION, body).LocationConstraint;
  if (region === DEFAULT_REGION || location === region) return;
  throw new S3Error('IllegalLocationConstraintException', {
    message: `The ${location ?? 'unspecified'} location constraint is incompatible for the region specific endpoint this request was sent to.`,
  });
}
