import { S3Error, invalidArgument } from '../../errors/s3-error.ts';
import { requestTagKeys } from '../../access/tag-keys.ts';
import type { BucketSettings, CreateBucketRequest } from '../../manifest/index.ts';
import { isPublicGrant } from '../../protocol/acl/acl.ts';
import { isAwsLocation, isRegionName } from '../../protocol/regions.ts';
import { OWNERSHIPS, type Ownership } from '../../protocol/acl/ownership.ts';
import { BUCKET_TAGGING, checkTags, MAX_TAGGING_BYTES, type Tag } from '../../protocol/tagging.ts';
import { decodeXml } from '../../protocol/xml/decode.ts';
import { CREATE_BUCKET_CONFIGURATION } from '../../protocol/xml/bucket-shapes.ts';
import type { HeaderReader, S3Request } from '../../protocol/request.ts';
import { requireOwnAcl } from '../acl/bucket-rules.ts';
import { headerAcl } from '../acl/requested-acl.ts';
import { bucketName, callerId, requireChangeable } from '../named-bucket.ts';
import type { NewBuckets, OperationSettings, OperationWithoutBucket, RequestContext } from '../operation.ts';
import { dependsOnNewTags, requireAccess, requireAlso } from '../permission.ts';
import { requireOffered } from '../encryption.ts';
import { bucketArn } from '../answer-values.ts';

const DEFAULT_REGION = 'us-east-1';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html */
export const createBucket: OperationWithoutBucket = async (request, context) => {
  const name = bucketName(request);
  const ownerId = callerId(context);
  const early = dependsOnNewTags(context) ? await requestedBucket(request) : undefined;
  requireAccess(early === undefined ? {} : { says: requestTagKeys(early.tags) }, context);
  requireChangeable(name, context);
  requireOffered(request.headers);
  requireGlobalName(request.headers);
  const defaults = NEW_BUCKETS[context.settings.newBuckets];
  const asked = requestedSettings(request.headers, ownerId, context);
  requireSettable(asked, { name, ownerId }, context);
  requireConsistent({ ...defaults, ...asked });
  const { location, tags } = early ?? (await requestedBucket(request));
  requireTaggable(tags, { name, ownerId }, context);
  requireLocation(location, context.settings);
  const settings = { ...asked, ...(tags.length > 0 && { tags }) };

  const created = await context.manifest.buckets.create({ name, ownerId, settings, defaults }, context.call);
  // us-east-1 answers a repeated CreateBucket of the owner with 200 unless it has tags, every other region with 409.
  // Which of the two it is says the location that was asked for, too, where others are taken.
  const isElsewhere = [context.settings.region, location ?? ''].some(
    (region) => region !== '' && region !== DEFAULT_REGION,
  );
  if (!created && (isElsewhere || tags.length > 0)) {
    throw new S3Error('BucketAlreadyOwnedByYou', { extra: { BucketName: name } });
  }
  return { status: 200, headers: { location: `/${name}`, 'x-amz-bucket-arn': bucketArn(name) } };
};

/**
 * Refuses account-regional namespaces, in which two accounts may have a bucket of one name. @throws S3Error
 * NotImplemented
 */
function requireGlobalName(headers: HeaderReader): void {
  const namespace = headers.get('x-amz-bucket-namespace');
  if (namespace === undefined || namespace === 'global') return;
  throw new S3Error('NotImplemented', { message: 'Namespaces of accounts are not offered by this service.' });
}

/** Settings of a bucket whose CreateBucket says nothing of them. */
export const NEW_BUCKETS: Readonly<Record<NewBuckets, BucketSettings>> = {
  open: {},
  aws: {
    ownership: 'BucketOwnerEnforced',
    publicAccessBlock: {
      blockPublicAcls: true,
      ignorePublicAcls: true,
      blockPublicPolicy: true,
      restrictPublicBuckets: true,
    },
  },
};

function requestedSettings(
  headers: HeaderReader,
  ownerId: string,
  context: RequestContext,
): NonNullable<CreateBucketRequest['settings']> {
  const acl = headerAcl(headers, { subject: 'bucket', ownerId, bucketOwnerId: ownerId }, context);
  const ownership = requestedOwnership(headers);
  return {
    ...(acl !== undefined && { acl }),
    ...(ownership !== undefined && { ownership }),
    ...(wantsObjectLock(headers) && { objectLock: {} }),
  };
}

/** Requires the permissions that setting these things later would take. @throws S3Error AccessDenied */
function requireSettable(
  settings: BucketSettings,
  made: { readonly name: string; readonly ownerId: string },
  context: RequestContext,
): void {
  const bucket = { ...made, settings: {} };
  if (settings.acl !== undefined) requireAlso('acl', { bucket }, context);
  if (settings.ownership !== undefined) requireAlso('ownership', { bucket }, context);
  if (settings.objectLock !== undefined) requireAlso('objectLock', { bucket }, context);
}

/** @throws S3Error AccessDenied */
function requireTaggable(
  tags: readonly Tag[],
  made: { readonly name: string; readonly ownerId: string },
  context: RequestContext,
): void {
  if (tags.length === 0) return;
  requireAlso('tags', { bucket: { ...made, settings: {} }, says: requestTagKeys(tags) }, context);
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

interface RequestedBucket {
  readonly location?: string;
  readonly tags: readonly Tag[];
}

/**
 * Reads the document of the request; without one, nothing is asked for. @throws S3Error MalformedXML, InvalidTag,
 * NotImplemented
 */
async function requestedBucket(request: S3Request): Promise<RequestedBucket> {
  const body = await request.body.readAll(MAX_TAGGING_BYTES);
  if (body.length === 0) return { tags: [] };
  const { LocationConstraint: location, Location, Bucket, tags = [] } = decodeXml(CREATE_BUCKET_CONFIGURATION, body);
  if (Location !== undefined || Bucket !== undefined) {
    throw new S3Error('NotImplemented', { message: 'Directory buckets are not offered by this service.' });
  }
  return {
    tags: checkTags(
      tags.map(({ Key: key, Value: value }) => ({ key, value })),
      BUCKET_TAGGING,
    ),
    ...(location !== undefined && { location }),
  };
}

/**
 * Checks that a bucket is requested for this place. If the endpoint's region is not us-east-1, the constraint must name
 * that region. In us-east-1, and where clients of any region are served, it may name another one.
 * @throws S3Error InvalidLocationConstraint (no such place), IllegalLocationConstraintException (not this region's)
 */
function requireLocation(location: string | undefined, { region, acceptAnyRegion = false }: OperationSettings): void {
  if (location === region) return;
  const isUnnamed = location === undefined || location === '';
  if (region !== DEFAULT_REGION && !acceptAnyRegion) {
    throw new S3Error('IllegalLocationConstraintException', {
      message: `The ${isUnnamed ? 'unspecified' : location} location constraint is incompatible for the region specific endpoint this request was sent to.`,
    });
  }
  if (isUnnamed || isAwsLocation(location) || (acceptAnyRegion && isRegionName(location))) return;
  throw new S3Error('InvalidLocationConstraint', { extra: { LocationConstraint: location } });
}
