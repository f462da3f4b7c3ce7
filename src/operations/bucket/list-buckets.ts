import { S3Error, invalidArgument } from '../../errors/s3-error.ts';
import type { BucketPage } from '../../manifest/buckets/bucket-list.ts';
import { LIST_ALL_MY_BUCKETS_RESULT } from '../../protocol/xml/bucket-shapes.ts';
import { xml } from '../../protocol/xml/document.ts';
import { xmlDate } from '../../protocol/xml/xml-date.ts';
import type { QueryReader } from '../../protocol/request.ts';
import { callerId } from '../authorized-bucket.ts';
import type { Operation, OperationContext, OperationSettings } from '../operation.ts';
import { requireAccess } from '../require-access.ts';

/** An account may hold 10,000 buckets; without `max-buckets` all of them are listed. */
const MAX_BUCKETS = 10_000;
const NONE: BucketPage = { buckets: [], truncated: false };

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBuckets.html */
export const listBuckets: Operation = async (request, context) => {
  const ownerId = callerId(context);
  requireAccess({}, context);
  const { query } = request;
  const isHere = isOwnRegion(query.get('bucket-region'), context.settings);
  const prefix = query.get('prefix');
  const page = isHere ? await bucketsOf(ownerId, context, query) : NONE;
  const owner = context.accounts.byCanonicalId(ownerId);
  const last = page.buckets.at(-1);
  const value = {
    Owner: { ID: ownerId, DisplayName: owner?.displayName },
    buckets: page.buckets.map(({ name, createdAt }) => ({ Name: name, CreationDate: xmlDate(createdAt), BucketRegion: context.settings.region })),
    Prefix: prefix,
    ContinuationToken: page.truncated && last !== undefined ? Buffer.from(last.name).toString('base64url') : undefined,
  };
  return { status: 200, body: xml(LIST_ALL_MY_BUCKETS_RESULT, value) };
};

function bucketsOf(ownerId: string, { manifest, call }: OperationContext, query: QueryReader): Promise<BucketPage> {
  const prefix = query.get('prefix');
  const after = continuation(query.get('continuation-token'));
  const request = { ownerId, limit: maxBuckets(query), ...(prefix !== undefined && { prefix }), ...(after !== undefined && { after }) };
  return manifest.buckets.list(request, call);
}

/** `bucket-region` asks for the buckets of one region, and all buckets are in one. */
function isOwnRegion(asked: string | undefined, { region, acceptAnyRegion = false }: OperationSettings): boolean {
  return asked === undefined || asked === '' || asked === region || acceptAnyRegion;
}

function maxBuckets(query: QueryReader): number {
  const value = query.get('max-buckets');
  if (value === undefined || value === '') return MAX_BUCKETS;
  const number = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  if (number < 1 || number > MAX_BUCKETS) throw invalidArgument('max-buckets', value, `Argument max-buckets must be an integer between 1 and ${String(MAX_BUCKETS)}`);
  return number;
}

function continuation(token: string | undefined): string | undefined {
  if (token === undefined || token === '') return undefined;
  if (!/^[\w-]+$/.test(token)) throw new S3Error('InvalidArgument', { message: 'The continuation token provided is incorrect', extra: { ArgumentName: 'continuation-token' } });
  return Buffer.from(token, 'base64url').toString();
}
