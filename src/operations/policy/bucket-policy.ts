import { MAX_BUCKET_POLICY, policyOf } from '../../access/bucket-policy.ts';
import { isPublicPolicy } from '../../access/policy/public.ts';
import { S3Error, invalidArgument } from '../../errors/s3-error.ts';
import type { S3Request } from '../../protocol/request.ts';
import { xml } from '../../protocol/xml/document.ts';
import { POLICY_STATUS } from '../../protocol/xml/setting-shapes.ts';
import { heldBytes } from '../../streams/bytes.ts';
import { without } from '../bucket/settings/setting.ts';
import type { Operation } from '../operation.ts';
import { mayAccess, ownAction, requireAccess } from '../permission.ts';
import { requestedPolicy } from './requested-policy.ts';

const CONFIRM = 'x-amz-confirm-remove-self-bucket-access';

/** The text as it was put. https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketPolicy.html */
export const getBucketPolicy: Operation = async (_request, context) => {
  const { bucket } = context;
  const { policy } = (await context.manifest.buckets.latest(bucket, context.call)).settings;
  if (policy === undefined) throw new S3Error('NoSuchBucketPolicy', { extra: { BucketName: bucket.name } });
  return { status: 200, headers: { 'content-type': 'application/json' }, body: heldBytes(Buffer.from(policy)) };
};

/**
 * Committed by the compare-and-swap of the bucket's record, where the policy lies. Who asks is asked once more of the
 * record itself. https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketPolicy.html
 */
export const putBucketPolicy: Operation = async (request, context) => {
  const { bucket } = context;
  const isConfirmed = confirmed(request);
  // White space to spare: what is too long is told in the words of policies.
  const text = (await request.body.readAll(4 * MAX_BUCKET_POLICY)).toString();
  const document = requestedPolicy(text, bucket.name, context.accounts);
  const { name, ownerId } = bucket;
  await context.manifest.buckets.amendEverywhere(
    bucket,
    (settings) => {
      requireAccess({ bucket: { name, ownerId, settings } }, context);
      if (settings.publicAccessBlock?.blockPublicPolicy === true && isPublicPolicy(document)) {
        throw new S3Error('AccessDenied', { cause: new Error('the public access block refuses public policies') });
      }
      const changed = { ...settings, policy: text };
      if (!isConfirmed && !mayAccess(ownAction(context), { bucket: { name, ownerId, settings: changed } }, context)) {
        throw new S3Error('AccessDenied', { cause: new Error('the policy would lock the caller out') });
      }
      return changed;
    },
    context.call,
  );
  return { status: 204 };
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketPolicy.html */
export const deleteBucketPolicy: Operation = async (_request, context) => {
  const { bucket } = context;
  const { name, ownerId } = bucket;
  await context.manifest.buckets.amendEverywhere(
    bucket,
    (settings) => {
      requireAccess({ bucket: { name, ownerId, settings } }, context);
      return without(settings, 'policy');
    },
    context.call,
  );
  return { status: 204 };
};

/**
 * Whether the policy lets in who cannot be counted.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketPolicyStatus.html
 */
export const getBucketPolicyStatus: Operation = async (_request, context) => {
  const { bucket } = context;
  const policy = policyOf(await context.manifest.buckets.latest(bucket, context.call));
  if (policy === undefined) throw new S3Error('NoSuchBucketPolicy', { extra: { BucketName: bucket.name } });
  return { status: 200, body: xml(POLICY_STATUS, { IsPublic: policy.isPublic }) };
};

/**
 * Whether the caller has confirmed that the new policy keeps the caller from changing it. @throws S3Error
 * InvalidArgument
 */
function confirmed({ headers }: S3Request): boolean {
  const value = headers.get(CONFIRM) ?? 'false';
  if (!/^(?:true|false)$/i.test(value)) throw invalidArgument(CONFIRM, value, 'Expected true or false');
  return value.toLowerCase() === 'true';
}
