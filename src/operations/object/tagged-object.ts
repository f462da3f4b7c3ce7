import { tagKeys } from '../../access/request-keys.ts';
import type { Bucket } from '../../manifest/records/bucket.ts';
import type { ObjectView } from '../../manifest/records/object-view.ts';
import type { ObjectAmendment } from '../../manifest/versions/object-amendment.ts';
import type { Tag } from '../../protocol/tagging.ts';
import { withoutTellingMissing } from '../authorized-object.ts';
import { type VersionTarget, refusingMarkers } from '../object-version.ts';
import type { OperationContext } from '../operation.ts';
import { EXISTING_TAG, REQUEST_TAG, dependsOn, requireAccess } from '../require-access.ts';

/** A change of tags. */
interface TagChange {
  readonly method: 'PUT' | 'DELETE';
  /** What the object will have; undefined: none. */
  readonly tags?: readonly Tag[];
  readonly amendment: ObjectAmendment;
}

/** Refuses at once whom no tags could let. @throws S3Error AccessDenied */
export function requireTagging(bucket: Bucket, context: OperationContext): void {
  if (!dependsOn(EXISTING_TAG, { bucket }, context) && !dependsOn(REQUEST_TAG, { bucket }, context)) {
    requireAccess({ bucket }, context);
  }
}

/**
 * Changes the tags of an object, if the caller may: where a policy asks for them, with a view to those that it has when
 * they are changed, and to those that it will have.
 * @throws S3Error AccessDenied, and as the manifest
 */
export async function amendTags(
  target: VersionTarget,
  { method, tags, amendment }: TagChange,
  context: OperationContext,
): Promise<ObjectView> {
  const { bucket } = target;
  const says = tags && tagKeys(tags);
  const asksObject = dependsOn(EXISTING_TAG, { bucket }, context);
  if (!asksObject) requireAccess({ bucket, ...(says && { says }) }, context);
  const amend = (): Promise<ObjectView> =>
    context.manifest.objects.amend(
      target,
      (object) => {
        if (asksObject) requireAccess({ bucket, object, ...(says && { says }) }, context);
        return amendment(object);
      },
      context.call,
    );
  return refusingMarkers(() => (asksObject ? withoutTellingMissing(target, context, amend) : amend()), method);
}
