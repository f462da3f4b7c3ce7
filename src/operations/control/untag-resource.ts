import { removedTagKeys } from '../../access/tag-keys.ts';
import { invalidArgument } from '../../errors/s3-error.ts';
import { withTags } from '../bucket/settings/put-bucket-tagging.ts';
import type { Operation } from '../operation.ts';
import { requireAccess } from '../require-access.ts';
import { controlBucket } from './control-bucket.ts';

const KEYS = 'tagKeys';

/**
 * Takes the named tags away; those that the bucket does not have are no mistake.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_control_UntagResource.html
 */
export const untagResource: Operation = async (request, context) => {
  const bucket = await controlBucket(request, context);
  const keys = new Set(request.query.all(KEYS));
  requireAccess({ bucket, says: removedTagKeys([...keys]) }, context);
  if (keys.size === 0) throw invalidArgument(KEYS, '', 'The keys of the tags to remove are missing');
  await context.manifest.buckets.amend(
    bucket,
    (settings) =>
      withTags(
        settings,
        (settings.tags ?? []).filter(({ key }) => !keys.has(key)),
      ),
    context.call,
  );
  return { status: 204 };
};
