import type { ObjectAmendment } from '../../manifest/versions/object-amendment.ts';
import { authorizedBucket } from '../authorized-bucket.ts';
import { refusingMarkers, versionHeaders, versionTarget } from '../object-version.ts';
import type { Operation } from '../operation.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjectTagging.html */
export const deleteObjectTagging: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const target = versionTarget(request, bucket, context);
  const { objects } = context.manifest;
  const removeTags: ObjectAmendment = ({ tags }) => (tags === undefined ? undefined : { tags: [] });
  const { versionId } = await refusingMarkers(() => objects.amend(target, removeTags, context.call), 'DELETE');
  return { status: 204, headers: versionHeaders(bucket, versionId) };
};
