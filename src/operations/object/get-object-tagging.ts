import { taggingDocument } from '../../protocol/tagging.ts';
import { authorizedBucket, objectKey, requireNullVersion } from '../authorized-bucket.ts';
import type { Operation } from '../operation.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectTagging.html */
export const getObjectTagging: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  requireNullVersion(request.query.get('versionId'));
  const { tags = [] } = await context.manifest.objects.find(bucket, objectKey(request), context.call);
  return { status: 200, body: taggingDocument(tags) };
};
