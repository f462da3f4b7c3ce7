import { S3Error } from '../../errors/s3-error.ts';
import { decodeXml } from '../../protocol/xml/decode.ts';
import { CREATE_BUCKET_CONFIGURATION } from '../../protocol/xml/bucket-shapes.ts';
import type { S3Request } from '../../protocol/request.ts';
import { authorize } from '../../access/authorize.ts';
import { headerAcl } from '../acl/requested-acl.ts';
import { bucketName, callerId } from '../authorized-bucket.ts';
import type { Operation } from '../operation.ts';
import { refuseUnsupported } from '../unsupported-headers.ts';

const MAX_BODY = 64 * 1024;
const DEFAULT_REGION = 'us-east-1';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html */
export const createBucket: Operation = async (request, context) => {
  const name = bucketName(request);
  const ownerId = callerId(context);
  authorize(context.principal, context.operation.permission);
  refuseUnsupported(request.headers);
  refuseBucketSettings(request);
  const acl = headerAcl(request.headers, { subject: 'bucket', ownerId, bucketOwnerId: ownerId }, context.accounts);
  await requireLocation(request, context.settings.region);

  const created = await context.manifest.buckets.create({ name, ownerId, ...(acl !== undefined && { settings: { acl } }) }, context.call);
  // us-east-1 answers a repeated CreateBucket of the owner with 200, every other region with 409.
  if (!created && context.settings.region !== DEFAULT_REGION) throw new S3Error('BucketAlreadyOwnedByYou', { extra: { BucketName: name } });
  return { status: 200, headers: { location: `/${name}` } };
};

function refuseBucketSettings({ headers }: S3Request): void {
  const refuse = (header: string): never => {
    throw new S3Error('NotImplemented', { extra: { Header: header, additionalMessage: `${header} is not implemented` } });
  };
  if (headers.get('x-amz-bucket-object-lock-enabled')?.toLowerCase() === 'true') refuse('x-amz-bucket-object-lock-enabled');
  const ownership = headers.get('x-amz-object-ownership');
  if (ownership !== undefined && ownership !== 'ObjectWriter') refuse('x-amz-object-ownership');
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
