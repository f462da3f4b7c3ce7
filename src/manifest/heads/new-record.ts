import type { Bucket } from '../records/bucket.ts';
import { partitionHeaders, partitionUserMetadata } from '../records/metadata.ts';
import { headPlace } from '../records/names.ts';
import { type FieldsOf, fieldsOf } from '../records/record-fields.ts';
import type { NewObject } from './object-requests.ts';

/** The part of a record that follows from what the client said about the object. */
export function recordOf(bucket: Bucket, key: string, object: NewObject): FieldsOf<'said' | 'shown' | 'kept' | 'place'> {
  const { attributes, ownerId, acl, checksum } = object;
  const { tags, ...said } = fieldsOf<'said'>(attributes, 'said');
  const { rest } = partitionUserMetadata(attributes.userMetadata);
  const { rest: headers } = partitionHeaders(attributes.headers);
  const { trueKey } = headPlace(bucket, key);
  return {
    ...said,
    ...(tags !== undefined && tags.length > 0 && { tags }),
    ...(ownerId !== bucket.ownerId && { owner: ownerId }),
    ...(acl !== undefined && { acl }),
    ...(headers !== undefined && { headers }),
    ...(rest !== undefined && { userMetadata: rest }),
    ...(checksum !== undefined && { checksum }),
    ...(trueKey !== undefined && { key: trueKey }),
  };
}
