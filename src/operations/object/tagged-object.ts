import { tagKeys } from '../../access/request-keys.ts';
import type { Bucket, ObjectAmendment, ObjectView } from '../../manifest/index.ts';
import type { Tag } from '../../protocol/tagging.ts';
import { withoutTellingMissing } from '../authorized-object.ts';
import { type VersionTarget, refusingMarkers } from '../object-version.ts';
import type { OperationContext } from '../operation.ts';
import { EXISTING_TAG, REQUEST_TAG, dependsOn, requireAccess } from '../require-access.ts';

/** A change of tags. */
interface TagChange {
  readonly method: 'PUT' | 'DELETE';
  /** The tags that the object will have; undefined: none. */
  readonly tags?: readonly Tag[];
  readonly amendment: ObjectAmendment;
}

/** Refuses at once a caller whom no tags could let in. @throws S3Error AccessDenied */
export function requireTagging(bucket: Bucket, context: OperationContext): void {
  if (!dependsOn(EXISTING_TAG, { bucket }, context) && !dependsOn(REQUEST_TAG, { bucket }, context)) {
    requireAccess({ bucket }, context);
  }
}

/**
 * Changes the tags of an object, if the caller may. Where a policy has conditions on tags, the decision is made with
 * the tags that the object has when they are changed, and with those that it will have. @throws S3Error AccessDenied,
 * and as the manifest
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
  return refusingMarkers(() => (asksObject ? withoutTellingMissing(target, context, amend()) : amend()), method);
}
