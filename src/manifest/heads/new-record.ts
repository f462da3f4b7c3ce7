import type { BlobRef, ContentHeaders } from '../../store/blob-store.ts';
import type { KeyRef } from '../records/key-ref.ts';
import { partitionHeaders, partitionUserMetadata } from '../records/metadata.ts';
import { headPlace } from '../records/names.ts';
import { type FieldsOf, fieldsOf } from '../records/record-fields.ts';
import type { NewObject } from './object-requests.ts';

/**
 * What a client said about a new object, taken apart once: what the blob says itself, and what its record has to say.
 */
export interface ObjectParts {
  /** The head of its key. */
  readonly ref: BlobRef;
  readonly fields: FieldsOf<'said' | 'shown' | 'kept' | 'place'>;
  /** User metadata that native tools see. */
  readonly native: Readonly<Record<string, string>>;
  readonly headers: ContentHeaders;
}

export function partsOf({ bucket, key }: KeyRef, object: NewObject): ObjectParts {
  const { attributes, ownerId, acl, checksum, encryption, pieces } = object;
  const { tags, ...said } = fieldsOf<'said'>(attributes, 'said');
  const user = partitionUserMetadata(attributes.userMetadata);
  const headers = partitionHeaders(attributes.headers);
  const { ref, trueKey } = headPlace({ bucket, key });
  const fields = {
    ...said,
    ...(tags !== undefined && tags.length > 0 && { tags }),
    ...(ownerId !== bucket.ownerId && { owner: ownerId }),
    ...(acl !== undefined && { acl }),
    ...(headers.rest !== undefined && { headers: headers.rest }),
    ...(user.rest !== undefined && { userMetadata: user.rest }),
    ...(checksum !== undefined && { checksum }),
    ...(encryption !== undefined && { encryption }),
    ...(pieces !== undefined && { pieces }),
    ...(trueKey !== undefined && { key: trueKey }),
  };
  return { ref, fields, native: user.native, headers: headers.native };
}
