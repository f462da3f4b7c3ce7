import { S3Error } from '../../errors/s3-error.ts';
import type { WriteConditions } from '../../protocol/conditions.ts';
import type { HeaderReader } from '../../protocol/request.ts';
import { authorizedBucket, objectKey, requireNullVersion } from '../authorized-bucket.ts';
import type { Operation } from '../operation.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObject.html */
export const deleteObject: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  requireNullVersion(request.query.get('versionId'));
  await context.manifest.objects.remove(bucket, objectKey(request), deleteConditions(request.headers), context.call);
  return { status: 204 };
};

/** @throws S3Error NotImplemented for the conditions that only directory buckets have */
function deleteConditions(headers: HeaderReader): WriteConditions {
  for (const name of ['x-amz-if-match-size', 'x-amz-if-match-last-modified-time']) {
    if (headers.get(name) !== undefined) throw new S3Error('NotImplemented', { extra: { Header: name } });
  }
  const ifMatch = headers.get('if-match');
  return ifMatch === undefined ? {} : { ifMatch };
}
