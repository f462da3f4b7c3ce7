import type { Operation } from '../operation.ts';
import { requireAccess } from '../require-access.ts';
import { without } from '../bucket/settings/setting-body.ts';
import { ownersBucket } from './owners-bucket.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketPolicy.html */
export const deleteBucketPolicy: Operation = async (request, context) => {
  const bucket = await ownersBucket(request, context);
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
