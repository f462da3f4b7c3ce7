import { tagKeys } from '../../access/request-keys.ts';
import type { ObjectAmendment, ObjectView } from '../../manifest/index.ts';
import {
  MAX_TAGGING_BYTES,
  OBJECT_TAGGING,
  type Tag,
  parseTaggingDocument,
  taggingDocument,
} from '../../protocol/tagging.ts';
import { withoutTellingMissing } from '../authorized-object.ts';
import { refusingMarkers, versionHeaders, versionTarget } from '../object-version.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { dependsOnExistingTags, requireAccess, requireDeferred } from '../permission.ts';
import type { VersionTarget } from '../object-version.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectTagging.html */
export const getObjectTagging: Operation = async (request, context) => {
  const { bucket, undecided } = context;
  const target = versionTarget(request, context);
  const find = (): Promise<ObjectView> => {
    const found = context.manifest.objects.find(target, context.call);
    return undecided === undefined ? found : withoutTellingMissing(target, context, found);
  };
  const object = await refusingMarkers(find, 'GET');
  requireDeferred({ bucket, object }, context);
  const { tags = [], versionId } = object;
  return { status: 200, headers: versionHeaders(bucket, versionId), body: taggingDocument(tags) };
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectTagging.html */
export const putObjectTagging: Operation = async (request, context) => {
  const target = versionTarget(request, context);
  const tags = parseTaggingDocument(await request.body.readAll(MAX_TAGGING_BYTES), OBJECT_TAGGING);
  const { versionId } = await amendTags(target, { method: 'PUT', tags, amendment: () => ({ tags }) }, context);
  return { status: 200, headers: versionHeaders(context.bucket, versionId) };
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjectTagging.html */
export const deleteObjectTagging: Operation = async (request, context) => {
  const target = versionTarget(request, context);
  const removeTags: ObjectAmendment = ({ tags }) => (tags === undefined ? undefined : { tags: [] });
  const { versionId } = await amendTags(target, { method: 'DELETE', amendment: removeTags }, context);
  return { status: 204, headers: versionHeaders(context.bucket, versionId) };
};

/** A change of tags. */
interface TagChange {
  readonly method: 'PUT' | 'DELETE';
  /** The tags that the object will have; undefined: none. */
  readonly tags?: readonly Tag[];
  readonly amendment: ObjectAmendment;
}

/**
 * Changes the tags of an object, if the caller may. Where a policy has conditions on tags, the decision is made with
 * the tags that the object has when they are changed, and with those that it will have. @throws S3Error AccessDenied,
 * and as the manifest
 */
function amendTags(
  target: VersionTarget,
  { method, tags, amendment }: TagChange,
  context: OperationContext,
): Promise<ObjectView> {
  const { bucket, manifest, call } = context;
  const says = tags && { says: tagKeys(tags) };
  if (!dependsOnExistingTags(context)) {
    requireDeferred({ bucket, ...says }, context);
    return refusingMarkers(() => manifest.objects.amend(target, amendment, call), method);
  }
  const judged: ObjectAmendment = (object) => {
    requireAccess({ bucket, object, ...says }, context);
    return amendment(object);
  };
  const amend = (): Promise<ObjectView> => manifest.objects.amend(target, judged, call);
  return refusingMarkers(() => withoutTellingMissing(target, context, amend()), method);
}
