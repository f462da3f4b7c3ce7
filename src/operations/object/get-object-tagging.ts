import { taggingDocument } from '../../protocol/tagging.ts';
import type { ObjectView } from '../../manifest/index.ts';
import { namedBucket } from '../authorized-bucket.ts';
import { withoutTellingMissing } from '../authorized-object.ts';
import { refusingMarkers, versionHeaders, versionTarget } from '../object-version.ts';
import type { Operation } from '../operation.ts';
import { EXISTING_TAG, dependsOn, requireAccess } from '../require-access.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectTagging.html */
export const getObjectTagging: Operation = async (request, context) => {
  const bucket = await namedBucket(request, context);
  const depends = dependsOn(EXISTING_TAG, { bucket }, context);
  if (!depends) requireAccess({ bucket }, context);
  const target = versionTarget(request, bucket, context);
  const find = (): Promise<ObjectView> => context.manifest.objects.find(target, context.call);
  const object = await refusingMarkers(
    () => (depends ? withoutTellingMissing(target, context, find()) : find()),
    'GET',
  );
  if (depends) requireAccess({ bucket, object }, context);
  const { tags = [], versionId } = object;
  return { status: 200, headers: versionHeaders(bucket, versionId), body: taggingDocument(tags) };
};
