import { S3Error } from '../../../errors/s3-error.ts';
import type { BucketSettings } from '../../../manifest/index.ts';
import { BUCKET_TAGGING, MAX_TAGGING_BYTES, type Tag, parseTaggingDocument } from '../../../protocol/tagging.ts';
import { authorizedBucket } from '../../authorized-bucket.ts';
import type { Operation } from '../../operation.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketTagging.html */
export const putBucketTagging: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const tags = parseTaggingDocument(await request.body.readAll(MAX_TAGGING_BYTES), BUCKET_TAGGING);
  await context.manifest.buckets.amend(bucket, (settings) => withTags(untied(settings), tags), context.call);
  return { status: 204 };
};

/**
 * Refuses buckets whose tags decide who may do what: only operations whose permissions know of tags may change them.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketAbac.html
 * @throws S3Error InvalidRequest
 */
export function untied(settings: BucketSettings): BucketSettings {
  if (settings.abac !== true) return settings;
  throw new S3Error('InvalidRequest', {
    message: 'The bucket has attribute-based access control enabled: use TagResource and UntagResource for its tags.',
  });
}

/** The settings with these tags. An empty list is stored as if tags had never been set. */
export function withTags({ tags: _old, ...others }: BucketSettings, tags: readonly Tag[]): BucketSettings {
  return { ...others, ...(tags.length > 0 && { tags }) };
}
