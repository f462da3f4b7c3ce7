import { authorizedBucket, objectKey, requireNullVersion } from '../authorized-bucket.ts';
import type { Operation } from '../operation.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjectTagging.html */
export const deleteObjectTagging: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  requireNullVersion(request.query.get('versionId'));
  const { objects } = context.manifest;
  await objects.amend(bucket, objectKey(request), ({ tags }) => (tags === undefined ? undefined : { tags: [] }), context.call);
  return { status: 204 };
};
