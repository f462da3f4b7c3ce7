import { MAX_TAGGING_BYTES, OBJECT_TAGGING, parseTaggingDocument } from '../../protocol/tagging.ts';
import { namedBucket } from '../authorized-bucket.ts';
import { versionHeaders, versionTarget } from '../object-version.ts';
import type { Operation } from '../operation.ts';
import { amendTags, requireTagging } from './tagged-object.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectTagging.html */
export const putObjectTagging: Operation = async (request, context) => {
  const bucket = await namedBucket(request, context);
  requireTagging(bucket, context);
  const target = versionTarget(request, bucket, context);
  const tags = parseTaggingDocument(await request.body.readAll(MAX_TAGGING_BYTES), OBJECT_TAGGING);
  const { versionId } = await amendTags(target, { method: 'PUT', tags, amendment: () => ({ tags }) }, context);
  return { status: 200, headers: versionHeaders(bucket, versionId) };
};
