import type { ChangeKind } from '../../protocol/notifications/event-names.ts';
import type { AnnouncedChange } from '../heads/announce.ts';
import { NULL_VERSION } from '../heads/head.ts';
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
  /** Undefined: nothing is said of one any more. */
  readonly restore?: Restore | undefined;
  /** Undefined: STANDARD. */
  readonly storageClass?: string | undefined;
  /** What events tell of it; absent: what the operation is. */
  readonly tell?: readonly [ChangeKind, ChangeKind?];
}

/**
 * Looks at the object as it is and says what changes, undefined for nothing; throws to refuse. May be asked several
 * times.
 */
export type ObjectAmendment = (view: ObjectView) => AmendedFields | undefined;

/** What is announced of an amendment, as far as events say it. @param view as it was before */
export function toldOf(view: ObjectView, fields: AmendedFields): ToldAmendment {
  const { etag, size, versionId } = view;
  const { tell: [kind, also] = ['described'], restore } = fields;
  const own = versionId === NULL_VERSION ? {} : { versionId };
  if (kind === 'described') return { kind, etag, ...own };
  const { storageClass = STANDARD } = kind === 'moved' ? fields : view;
  return {
    ...{ kind, etag, size, storageClass, ...own },
    ...(also !== undefined && { also }),
    ...(restore?.until !== undefined && { until: restore.until }),
  };
}

type ToldAmendment = Pick<AnnouncedChange, 'kind' | 'also' | 'etag' | 'size' | 'versionId' | 'storageClass' | 'until'>;

const STANDARD = 'STANDARD';

/** The record with what is said anew. */
export function amended<R extends HeadRecord | OwnRecord>(
  record: R,
  { tags, tell: _events, ...said }: AmendedFields,
): R {
  // An empty list is no tags; what is undefined is not written.
  return { ...record, ...said, ...(tags !== undefined && { tags: tags.length > 0 ? tags : undefined }) };
}
