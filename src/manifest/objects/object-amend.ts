import type { Call } from '../../observe/call.ts';
import type { Acl } from '../../protocol/acl/acl.ts';
import type { Bucket } from '../buckets/bucket.ts';
import { newNonce } from '../records/clock.ts';
import { blobMetadata } from '../records/overflow.ts';
import { type ObjectRecord, splitMetadata } from '../records/record.ts';
import { changeHead, ringAfter } from './head-commit.ts';
import type { Head } from './head.ts';
import type { ObjectsContext } from './object-context.ts';
import { liveView, noSuchKey } from './object-read.ts';
import type { ObjectView } from './object-view.ts';

/** What can be said anew of an object that exists; a field that is absent stays as it is. */
export interface AmendedFields {
  readonly acl?: Acl;
}

/** Looks at the object as it is and says what changes, undefined for nothing; throws to refuse. May be asked several times. */
export type ObjectAmendment = (view: ObjectView) => AmendedFields | undefined;

export interface AmendTarget {
  readonly bucket: Bucket;
  readonly key: string;
  readonly amendment: ObjectAmendment;
}

/**
 * Changes what is said of the current version, on the head's revision: bytes, ETag and Last-Modified
 * stay. Two calls: head, and its metadata. @throws S3Error NoSuchKey, NoSuchBucket, and what `amendment` throws
 */
export async function amendObject(context: ObjectsContext, { bucket, key, amendment }: AmendTarget, call: Call): Promise<void> {
  const nonce = newNonce();
  const amended = await changeHead(
    {
      bucket,
      key,
      conditions: {},
      nonce,
      repeatable: true,
      write: async (head, condition) => {
        const view = liveView(bucket, key, head);
        if (head === undefined || view === undefined || condition.kind !== 'match') throw noSuchKey(key);
        const fields = amendment(view);
        if (fields === undefined) return head;
        const record = { ...(head.record ?? nativeRecord(head, view)), ...fields, nonce, ...ringAfter(head) };
        const { native } = splitMetadata(head.properties.metadata);
        await bucket.home.store.setMetadata(head.ref, await blobMetadata(bucket.home, record, native, call), condition, call);
        return head;
      },
      recognise: (head) => head,
    },
    call,
  );
  // A settling that was under way may have given up because of us.
  if (amended.record?.kind === 'mlink') context.settler.schedule(bucket, key);
}

/** What a blob of native tools was taken for: its metadata, once written, changes both its revision and its time. */
function nativeRecord({ properties }: Head, view: ObjectView): ObjectRecord {
  return { kind: 'inline', seq: properties.lastModified * 1000, ...(view.md5 === undefined && { etag: view.etag }) };
}
