import { removedTagKeys, requestTagKeys } from '../access/tag-keys.ts';
import { invalidArgument } from '../errors/s3-error.ts';
import type { BucketSettings } from '../manifest/index.ts';
import { BUCKET_TAGGING, MAX_TAGGING_BYTES, type Tag, checkTags } from '../protocol/tagging.ts';
import { LIST_TAGS_FOR_RESOURCE_RESULT, TAG_RESOURCE_REQUEST } from '../protocol/xml/control-shapes.ts';
import { decodeXml } from '../protocol/xml/decode.ts';
import { xml } from '../protocol/xml/document.ts';
import type { Operation } from './operation.ts';
import { requireDeferred } from './permission.ts';

/* S3 Control, as far as it is about buckets: what infrastructure code calls for their tags. */

const KEYS = 'tagKeys';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_control_ListTagsForResource.html */
export const listTagsForResource: Operation = async (_request, context) => {
  const { bucket } = context;
  const { tags = [] } = (await context.manifest.buckets.latest(bucket, context.call)).settings;
  return {
    status: 200,
    body: xml(LIST_TAGS_FOR_RESOURCE_RESULT, { tags: tags.map(({ key, value }) => ({ Key: key, Value: value })) }),
  };
};

/**
 * Adds tags to those the bucket has; one of the same key is replaced.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_control_TagResource.html
 */
export const tagResource: Operation = async (request, context) => {
  const { bucket } = context;
  const document = decodeXml(TAG_RESOURCE_REQUEST, await request.body.readAll(MAX_TAGGING_BYTES));
  const added = checkTags(
    document.tags.map(({ Key: key, Value: value }) => ({ key, value })),
    BUCKET_TAGGING,
  );
  requireDeferred({ bucket, says: requestTagKeys(added) }, context);
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

/**
 * Takes the named tags away; those that the bucket does not have are no mistake.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_control_UntagResource.html
 */
export const untagResource: Operation = async (request, context) => {
  const { bucket } = context;
  const keys = new Set(request.query.all(KEYS));
  requireDeferred({ bucket, says: removedTagKeys([...keys]) }, context);
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

/** The settings with these tags. */
function withTags({ tags: _old, ...others }: BucketSettings, tags: readonly Tag[]): BucketSettings {
  return { ...others, ...(tags.length > 0 && { tags }) };
}
