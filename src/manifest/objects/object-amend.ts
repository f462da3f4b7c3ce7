import type { Call } from '../../observe/call.ts';
import type { Acl } from '../../protocol/acl/acl.ts';
import type { Tag } from '../../protocol/tagging.ts';
import type { Bucket } from '../buckets/bucket.ts';
import type { ObjectRecord } from '../records/record.ts';
import { amendHead } from './head-amend.ts';
import type { Head } from './head.ts';
import type { ObjectsContext } from './object-context.ts';
import { liveView, noSuchKey } from './object-read.ts';
import type { ObjectView } from './object-view.ts';

/** What can be said anew of an object that exists; a field that is absent stays as it is. */
export interface AmendedFields {
  /** None: an empty list. */
  readonly tags?: readonly Tag[];
  readonly acl?: Acl;
}

/** Looks at the object as it is and says what changes, undefined for nothing; throws to refuse. May be asked several times. */
export type ObjectAmendment = (view: ObjectView) => AmendedFields | undefined;

export interface AmendTarget {
  readonly bucket: Bucket;
  readonly key: string;
  readonly amendment: ObjectAmendment;
}

/** Changes what is said of the current version. Two calls: head, and its metadata on its revision. */
export async function amendObject(context: ObjectsContext, { bucket, key, amendment }: AmendTarget, call: Call): Promise<void> {
  const before = await amendHead(
    {
      bucket,
      key,
      change: (record, head) => {
        const view = liveView(bucket, key, head);
        if (head === undefined || view === undefined) throw noSuchKey(key);
        const fields = amendment(view);
        return fields && amended(record ?? nativeRecord(head, view), fields);
      },
    },
    call,
  );
  // A settling that was under way may have given up because of us.
  if (before?.record?.kind === 'mlink') context.settler.schedule(bucket, key);
}

function amended({ tags, ...rest }: ObjectRecord, { tags: newTags, acl }: AmendedFields): ObjectRecord {
  const now = newTags ?? tags ?? [];
  return { ...rest, ...(now.length > 0 && { tags: now }), ...(acl !== undefined && { acl }) };
}

/** What a blob of native tools was taken for: its metadata, once written, changes both its revision and its time. */
function nativeRecord({ properties }: Head, view: ObjectView): ObjectRecord {
  return { kind: 'inline', seq: properties.lastModified * 1000, ...(view.md5 === undefined && { etag: view.etag }) };
}
