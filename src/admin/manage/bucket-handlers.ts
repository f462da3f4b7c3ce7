import { isS3Error, S3Error } from '../../errors/s3-error.ts';
import type { Bucket, BucketSettings, Manifest } from '../../manifest/index.ts';
import type { Call } from '../../observe/call.ts';
import { checkBucketName } from '../../protocol/bucket-name.ts';
import { limitOf, textsOf } from '../inspector/queries.ts';
import type { ManagedBucket } from './contract.ts';
import type { EndpointHandlers, ManagementRequest } from './endpoints.ts';
import { answeredFailure, ManagementError } from './management-error.ts';

/** What buckets are made of and with. */
interface BucketParts extends Pick<Manifest, 'buckets' | 'listing' | 'uploads'> {
  readonly region: string;
  /** What new buckets start with. */
  readonly defaults: BucketSettings;
  /** Name of the backend that a bucket's name leads to. */
  readonly backendOf: (name: string) => string;
  readonly isReadOnly: (name: string) => boolean;
  /** Canonical id of the account with a name. */
  readonly ownerIdOf: (account: string) => string | undefined;
  /** Name of the account with a canonical id; the id, if there is none. */
  readonly accountNameOf: (canonicalId: string) => string;
  /** Takes away what is kept by the name of a bucket that has been removed. */
  readonly forget: (bucket: string, call: Call) => Promise<void>;
}

/** As the schema of the body parsed it. */
interface NewBucket {
  readonly account: string;
  readonly objectLock?: boolean | undefined;
  readonly backend?: string | undefined;
}

type BucketHandlers = Pick<EndpointHandlers, 'listBuckets' | 'getBucket' | 'putBucket' | 'deleteBucket'>;

/** Buckets, by the same rules as for S3 clients, whose operations call the same functions. */
export function bucketHandlers(parts: BucketParts): BucketHandlers {
  return {
    async listBuckets({ query }, call) {
      const wanted = { ...textsOf(query, ['prefix', 'after']), limit: limitOf(query, 'limit') };
      const { buckets, truncated } = await parts.buckets.list(wanted, call);
      const shown = buckets.map(({ name, ownerId, backend, createdAt }) => ({
        name,
        account: parts.accountNameOf(ownerId),
        backend,
        createdAt: new Date(createdAt).toISOString(),
      }));
      return { status: 200, body: { buckets: shown, more: truncated } };
    },

    async getBucket(request, call) {
      return { status: 200, body: shownBucket(parts, await parts.buckets.get(bucketNamed(request), call)) };
    },

    async putBucket(request, call) {
      const name = bucketNamed(request);
      const { account, objectLock, backend } = request.body as NewBucket;
      const ownerId = parts.ownerIdOf(account);
      if (ownerId === undefined) throw new ManagementError('NoSuchEntity', `there is no account ${account}`);
      if (backend !== undefined) requireBackend(parts, name, backend);
      requireChangeable(parts, name);
      const wanted = { name, ownerId, objectLock };
      const known = await found(parts, name, call);
      if (known !== undefined) return { status: 200, body: asWanted(parts, known, wanted) };
      const settings = objectLock === true ? { objectLock: {} } : {};
      const isNew = await parts.buckets.create({ name, ownerId, settings, defaults: parts.defaults }, call);
      const body = asWanted(parts, await parts.buckets.get(name, call), wanted);
      return isNew ? { status: 201, body, after: body } : { status: 200, body };
    },

    async deleteBucket(request, call) {
      const name = bucketNamed(request);
      const bucket = await parts.buckets.getToDelete(name, call);
      requireChangeable(parts, bucket.name);
      await parts.buckets.delete(bucket, (own) => parts.listing.isEmpty(bucket, own), call);
      await parts.uploads.discardAll(bucket, call);
      await forgotten(parts, bucket.name, call);
      return { status: 204, before: shownBucket(parts, bucket) };
    },
  };
}

/** @throws ManagementError OutcomeUnknown: the bucket is removed, and a repetition finds it gone */
async function forgotten({ forget }: BucketParts, name: string, call: Call): Promise<void> {
  try {
    await forget(name, call);
  } catch (error) {
    const reason = answeredFailure(error)?.error;
    if (reason === undefined) throw error;
    throw new ManagementError(
      'OutcomeUnknown',
      `the bucket is removed, but its quota may still be there: ${reason}`,
      error,
    );
  }
}

/** @throws S3Error InvalidBucketName */
export function bucketNamed({ names: { bucket = '' } }: ManagementRequest): string {
  checkBucketName(bucket);
  return bucket;
}

async function found({ buckets }: BucketParts, name: string, call: Call): Promise<Bucket | undefined> {
  try {
    return await buckets.get(name, call);
  } catch (error) {
    if (isS3Error(error, 'NoSuchBucket')) return undefined;
    throw error;
  }
}

interface WantedBucket {
  readonly name: string;
  readonly ownerId: string;
  readonly objectLock: boolean | undefined;
}

/** What was to be made is there, and of its kind. @throws S3Error BucketAlreadyExists */
function asWanted(parts: BucketParts, bucket: Bucket, { name, ownerId, objectLock }: WantedBucket): ManagedBucket {
  const shown = shownBucket(parts, bucket);
  const isOther = bucket.ownerId !== ownerId || (objectLock !== undefined && shown.objectLock !== objectLock);
  if (isOther) throw new S3Error('BucketAlreadyExists', { extra: { BucketName: name } });
  return shown;
}

/** @throws ManagementError a bucket's name decides where it lies, and nothing else */
function requireBackend({ backendOf }: BucketParts, name: string, wanted: string): void {
  const backend = backendOf(name);
  if (backend === wanted) return;
  throw new ManagementError('InvalidInput', `a bucket of this name lies in backend ${backend} (setting buckets.rules)`);
}

/** @throws S3Error AccessDenied */
function requireChangeable({ isReadOnly }: BucketParts, name: string): void {
  if (isReadOnly(name)) throw new S3Error('AccessDenied', { message: 'The bucket is read-only here.' });
}

function shownBucket({ region, accountNameOf }: BucketParts, bucket: Bucket): ManagedBucket {
  const { name, ownerId, home, versioning, settings, createdAt } = bucket;
  return {
    name,
    account: accountNameOf(ownerId),
    ownerId,
    backend: home.backend,
    region,
    objectLock: settings.objectLock !== undefined,
    versioning,
    createdAt: new Date(createdAt).toISOString(),
  };
}
