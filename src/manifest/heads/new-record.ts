import type { Bucket } from '../records/bucket.ts';
import { headPlace } from '../records/names.ts';
import type { NewObject } from './object-requests.ts';
import { type ObjectRecord, partitionHeaders, partitionUserMetadata } from '../records/record.ts';

/** The part of a record that follows from what the client said about the object. */
export function recordOf(bucket: Bucket, key: string, object: NewObject): Omit<ObjectRecord, 'kind' | 'seq'> {
  const { attributes, ownerId, acl, checksum } = object;
  const { rest } = partitionUserMetadata(attributes.userMetadata);
  const { rest: headers } = partitionHeaders(attributes.headers);
  const { trueKey } = headPlace(bucket, key);
  return {
    ...(ownerId !== bucket.ownerId && { owner: ownerId }),
    ...(acl !== undefined && { acl }),
    ...(attributes.storageClass !== undefined && { storageClass: attributes.storageClass }),
    ...(headers !== undefined && { headers }),
    ...(attributes.expires !== undefined && { expires: attributes.expires }),
    ...(attributes.websiteRedirect !== undefined && { websiteRedirect: attributes.websiteRedirect }),
    ...(rest !== undefined && { userMetadata: rest }),
    ...(attributes.tags !== undefined && attributes.tags.length > 0 && { tags: attributes.tags }),
    ...(attributes.lock !== undefined && { lock: attributes.lock }),
    ...(checksum !== undefined && { checksum }),
    ...(trueKey !== undefined && { key: trueKey }),
  };
}
