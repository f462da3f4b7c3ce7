import type { Call } from '../../observe/call.ts';
import type { Condition } from '../../store/blob-store.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import type { Bucket } from '../records/bucket.ts';
import { type AnnouncedChange, announce } from './announce.ts';
import { newNonce } from '../records/clock.ts';
import { blobMetadata } from './overflow.ts';
import { nativeIn } from '../records/metadata.ts';
import type { HeadRecord } from '../records/record.ts';
import { byNonce, changeHead, noncesAmended } from './head-commit.ts';
import type { Head } from './head.ts';
import type { KeyRef } from '../records/key-ref.ts';

/** A change of the record of a key's head; the blob's bytes stay. */
interface HeadAmendment extends KeyRef {
  /**
   * The record as it should be, or undefined when nothing needs to be written. Asked again whenever another request was
   * faster, so it depends on its arguments only; what it throws ends the change.
   */
  readonly change: (head: Head | undefined) => HeadRecord | undefined | Promise<HeadRecord | undefined>;
  /** What events tell of it, asked when `change` has said what it is; absent: nothing. */
  readonly told?: () => Omit<AnnouncedChange, 'nonce' | 'head' | 'seq'>;
}

/**
 * Changes a head's record in place: head, then its metadata on the revision read. Whoever writes the
 * key meanwhile wins; then the change is made to what is there now. Its log stays as it is.
 * @returns the head that was amended, as it was before
 * @throws S3Error NoSuchBucket; StoreError as `changeHead`
 */
export function amendHead({ bucket, key, change, told }: HeadAmendment, call: Call): Promise<Head | undefined> {
  const nonce = newNonce();
  return changeHead<Head | undefined>(
    {
      bucket,
      key,
      conditions: {},
      writes: 'record',
      plan: async ({ head }, condition) => {
        const record = await change(head);
        if (record === undefined || head === undefined) return async () => head;
        const said = told?.() ?? { kind: 'amended' };
        await announce({ bucket, key }, { ...said, nonce, head, seq: record.seq }, call);
        return async () => {
          await rewriteRecord(bucket, { head, record: { ...record, ...noncesAmended(head, nonce) }, condition }, call);
          return head;
        };
      },
      recognise: byNonce(nonce, (head) => head),
    },
    call,
  );
}

/** One conditional call: the head's bytes, headers and user metadata stay. @throws StoreError conditionFailed */
export async function rewriteRecord(
  { home }: Bucket,
  { head, record, condition }: { readonly head: Head; readonly record: HeadRecord; readonly condition: Condition },
  call: Call,
): Promise<void> {
  const metadata = await blobMetadata(home, record, nativeIn(head.properties.metadata), call);
  try {
    await home.store.setMetadata(head.ref, metadata, condition, call);
  } catch (error) {
    // Removed meanwhile: one more way for its revision not to be the current one.
    throw isStoreError(error, 'notFound')
      ? new StoreError('conditionFailed', { call: 'setMetadata', cause: error })
      : error;
  }
}
