import { requestTagKeys } from '../../access/tag-keys.ts';
import { BUCKET_TAGGING, checkTags, MAX_TAGGING_BYTES } from '../../protocol/tagging.ts';
import { decodeXml } from '../../protocol/xml/decode.ts';
import { TAG_RESOURCE_REQUEST } from '../../protocol/xml/control-shapes.ts';
import { withTags } from '../bucket/settings/put-bucket-tagging.ts';
import type { Operation } from '../operation.ts';
import { dependsOnBucketTags, requireAccess } from '../require-access.ts';
import { controlBucket } from './control-bucket.ts';

/**
 * Adds tags to those the bucket has; one of the same key is replaced.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_control_TagResource.html
 */
export const tagResource: Operation = async (request, context) => {
  const bucket = await controlBucket(request, context);
  const asksTags = dependsOnBucketTags({ bucket }, context);
  if (!asksTags) requireAccess({ bucket }, context);
  const document = decodeXml(TAG_RESOURCE_REQUEST, await request.body.readAll(MAX_TAGGING_BYTES));
  const added = checkTags(
    document.tags.map(({ Key: key, Value: value }) => ({ key, value })),
    BUCKET_TAGGING,
  );
  if (asksTags) requireAccess({ bucket, says: requestTagKeys(added) }, context);
  const names = new Set(added.map(({ key }) => key));
  await context.manifest.buckets.amend(
    bucket,
    (settings) => {
      const kept = (settings.tags ?? []).filter(({ key }) => !names.has(key));
      return withTags(settings, checkTags([...kept, ...added], BUCKET_TAGGING));
    },
    context.call,
  );
  return { status: 204 };
};
