import { MAX_BUCKET_POLICY } from '../../access/bucket-policy.ts';
import { isPublicPolicy } from '../../access/policy/public.ts';
import { S3Error, invalidArgument } from '../../errors/s3-error.ts';
import type { S3Request } from '../../protocol/request.ts';
import type { Operation } from '../operation.ts';
import { mayAccess, requireAccess } from '../require-access.ts';
import { ownersBucket } from './owners-bucket.ts';
import { requestedPolicy } from './requested-policy.ts';

const CONFIRM = 'x-amz-confirm-remove-self-bucket-access';

/**
 * Committed by the compare-and-swap of the bucket's record, where the policy lies. Who asks is asked once more of the
 * record itself. https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketPolicy.html
 */
export const putBucketPolicy: Operation = async (request, context) => {
  const bucket = await ownersBucket(request, context);
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
      if (!isConfirmed && !mayAccess('s3:PutBucketPolicy', { bucket: { name, ownerId, settings: changed } }, context)) {
        throw new S3Error('AccessDenied', { cause: new Error('the policy would lock the caller out') });
      }
      return changed;
    },
    context.call,
  );
  return { status: 204 };
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
