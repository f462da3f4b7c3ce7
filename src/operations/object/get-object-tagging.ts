import { taggingDocument } from '../../protocol/tagging.ts';
import { authorizedBucket } from '../authorized-bucket.ts';
import { refusingMarkers, versionHeaders, versionTarget } from '../object-version.ts';
import type { Operation } from '../operation.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectTagging.html */
export const getObjectTagging: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const target = versionTarget(request, bucket, context);
  const { tags = [], versionId } = await refusingMarkers(() => context.manifest.objects.find(target, context.call), 'GET');
  return { status: 200, headers: versionHeaders(bucket, versionId), body: taggingDocument(tags) };
};
