import { decide } from '../../access/authorize.ts';
import { S3Error, invalidArgument } from '../../errors/s3-error.ts';
import type { BucketPage } from '../../manifest/index.ts';
import { isAwsLocation, isRegionName } from '../../protocol/regions.ts';
import { LIST_ALL_MY_BUCKETS_RESULT } from '../../protocol/xml/bucket-shapes.ts';
import { xml } from '../../protocol/xml/document.ts';
import { xmlDate } from '../../protocol/xml/xml-date.ts';
import type { QueryReader } from '../../protocol/request.ts';
import { callerId } from '../named-bucket.ts';
import { bucketArn } from '../answer-values.ts';
import type { OperationWithoutBucket, RequestContext, OperationSettings } from '../operation.ts';
import { mayAccess, requireAccess } from '../permission.ts';

/** An account may hold 10,000 buckets; without `max-buckets` all of them are listed. */
const MAX_BUCKETS = 10_000;
const NONE: BucketPage = { buckets: [], truncated: false };

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBuckets.html */
export const listBuckets: OperationWithoutBucket = async (request, context) => {
  const ownerId = callerId(context);
  const isVisible = visibility(ownerId, context);
  const { query } = request;
  const isHere = isOwnRegion(query.get('bucket-region'), context.settings);
  const prefix = query.get('prefix');
  const page = isHere ? await bucketsOf({ ownerId, isVisible }, query, context) : NONE;
  const owner = context.accounts.byCanonicalId(ownerId);
  const last = page.buckets.at(-1);
  const value = {
    Owner: { ID: ownerId, DisplayName: owner?.displayName },
    buckets: page.buckets.map(({ name, createdAt }) => ({
      Name: name,
      CreationDate: xmlDate(createdAt),
      BucketRegion: context.settings.region,
      BucketArn: bucketArn(name),
    })),
    Prefix: prefix,
    ContinuationToken: page.truncated && last !== undefined ? Buffer.from(last.name).toString('base64url') : undefined,
  };
  return { status: 200, body: xml(LIST_ALL_MY_BUCKETS_RESULT, value) };
};

/**
 * Which buckets the caller sees. Undefined: all of the account's. A caller who may not list them all sees those that
 * the caller's own policies allow to list, or to ask the region of, whatever keys they limit that to. Policies of the
 * buckets themselves are not asked, because each would have to be read.
 * @throws S3Error AccessDenied: a policy denies ListBuckets, or there is none at all
 */
function visibility(ownerId: string, context: RequestContext): ((name: string) => boolean) | undefined {
  const { principal, asked } = context;
  const { allowed, rule } = decide(principal, 's3:ListAllMyBuckets', {}, asked);
  const permissions = principal.kind === 'account' ? principal.user?.permissions : undefined;
  const hasPolicies =
    principal.kind === 'account' &&
    (principal.user === undefined || permissions === 'account' || (permissions ?? []).length > 0);
  if (allowed || rule !== 'none' || !hasPolicies) {
    requireAccess({}, context);
    return undefined;
  }
  return (name) => {
    const bucket = { name, ownerId, settings: {} };
    return mayAccess('s3:ListBucket', { bucket }, context) || mayAccess('s3:GetBucketLocation', { bucket }, context);
  };
}

interface Wanted {
  readonly ownerId: string;
  /** Absent: all of them. */
  readonly isVisible: ((name: string) => boolean) | undefined;
}

async function bucketsOf(
  { ownerId, isVisible }: Wanted,
  query: QueryReader,
  { manifest, call }: RequestContext,
): Promise<BucketPage> {
  const prefix = query.get('prefix');
  const after = continuation(query.get('continuation-token'));
  const limit = maxBuckets(query);
  const request = { ownerId, limit, ...(prefix !== undefined && { prefix }), ...(after !== undefined && { after }) };
  if (isVisible === undefined) return manifest.buckets.list(request, call);
  const { buckets } = await manifest.buckets.list({ ...request, limit: Infinity }, call);
  const visible = buckets.filter(({ name }) => isVisible(name));
  return { buckets: visible.slice(0, limit), truncated: visible.length > limit };
}

/**
 * `bucket-region` asks for the buckets of one region, and all buckets are in one.
 * @throws S3Error InvalidArgument: there is no such region
 */
function isOwnRegion(asked: string | undefined, { region, acceptAnyRegion = false }: OperationSettings): boolean {
  if (asked === undefined || asked === '' || asked === region) return true;
  if (acceptAnyRegion && isRegionName(asked)) return true;
  if (isAwsLocation(asked)) return false;
  throw new S3Error('InvalidArgument', {
    message: `Argument value ${asked} is not a valid AWS Region`,
    extra: { ArgumentName: 'bucket-region' },
  });
}

function maxBuckets(query: QueryReader): number {
  const value = query.get('max-buckets');
  if (value === undefined || value === '') return MAX_BUCKETS;
  const number = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  if (number < 1 || number > MAX_BUCKETS) {
    throw invalidArgument(
      'max-buckets',
      value,
      `Argument max-buckets must be an integer between 1 and ${String(MAX_BUCKETS)}`,
    );
  }
  return number;
}

function continuation(token: string | undefined): string | undefined {
  if (token === undefined || token === '') return undefined;
  if (!/^[\w-]+$/.test(token)) {
    throw new S3Error('InvalidArgument', {
      message: 'The continuation token provided is incorrect',
      extra: { ArgumentName: 'continuation-token' },
    });
  }
  return Buffer.from(token, 'base64url').toString();
}
