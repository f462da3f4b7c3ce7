import type { Acl } from '../../protocol/acl/acl.ts';
import type { ObjectLock } from '../../protocol/object-lock.ts';
import type { Tag } from '../../protocol/tagging.ts';
import type { Restore } from '../records/restore.ts';
import type { HeadRecord, OwnRecord } from '../records/record.ts';
import type { ObjectView } from '../records/object-view.ts';

/** What can be said anew of an object that exists; a field that is absent stays as it is. */
export interface AmendedFields {
  /** None: an empty list. */
  readonly tags?: readonly Tag[];
  readonly acl?: Acl;
  readonly lock?: ObjectLock;
  readonly restore?: Restore;
  /** Undefined: STANDARD. */
  readonly storageClass?: string | undefined;
}

/**
 * Looks at the object as it is and says what changes, undefined for nothing; throws to refuse. May be asked several
 * times.
 */
export type ObjectAmendment = (view: ObjectView) => AmendedFields | undefined;

/** The record with what is said anew. */
export function amended<R extends HeadRecord | OwnRecord>(record: R, { tags, ...said }: AmendedFields): R {
  // An empty list is no tags; what is undefined is not written.
  return { ...record, ...said, ...(tags !== undefined && { tags: tags.length > 0 ? tags : undefined }) };
}
