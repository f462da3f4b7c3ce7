import type { ObjectAmendment } from '../../manifest/index.ts';
import { namedBucket } from '../authorized-bucket.ts';
import { versionHeaders, versionTarget } from '../object-version.ts';
import type { Operation } from '../operation.ts';
import { amendTags, requireTagging } from './tagged-object.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjectTagging.html */
export const deleteObjectTagging: Operation = async (request, context) => {
  const bucket = await namedBucket(request, context);
  requireTagging(bucket, context);
  const target = versionTarget(request, bucket, context);
  const removeTags: ObjectAmendment = ({ tags }) => (tags === undefined ? undefined : { tags: [] });
  const { versionId } = await amendTags(target, { method: 'DELETE', amendment: removeTags }, context);
  return { status: 204, headers: versionHeaders(bucket, versionId) };
};
