import { MAX_TAGGING_BYTES, OBJECT_TAGGING, parseTaggingDocument } from '../../protocol/tagging.ts';
import { authorizedBucket } from '../authorized-bucket.ts';
import { refusingMarkers, versionHeaders, versionTarget } from '../object-version.ts';
import type { Operation } from '../operation.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectTagging.html */
export const putObjectTagging: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const target = versionTarget(request, bucket, context);
  const tags = parseTaggingDocument(await request.body.readAll(MAX_TAGGING_BYTES), OBJECT_TAGGING);
  const { versionId } = await refusingMarkers(() => context.manifest.objects.amend(target, () => ({ tags }), context.call), 'PUT');
  return { status: 200, headers: versionHeaders(bucket, versionId) };
};
