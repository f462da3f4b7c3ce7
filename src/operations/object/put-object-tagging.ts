import { MAX_TAGGING_BYTES, OBJECT_TAGGING, parseTaggingDocument } from '../../protocol/tagging.ts';
import { authorizedBucket, objectKey, requireNullVersion } from '../authorized-bucket.ts';
import type { Operation } from '../operation.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectTagging.html */
export const putObjectTagging: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  requireNullVersion(request.query.get('versionId'));
  const tags = parseTaggingDocument(await request.body.readAll(MAX_TAGGING_BYTES), OBJECT_TAGGING);
  await context.manifest.objects.amend(bucket, objectKey(request), () => ({ tags }), context.call);
  return { status: 200 };
};
