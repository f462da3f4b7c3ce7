import type { Call } from '../../observe/call.ts';
import type { BodyFacts } from '../../protocol/body/object-body.ts';
import type { Checksum } from '../../protocol/checksums/algorithms.ts';
import { type BlobProperties, type Revision, at } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { ObjectParts } from '../heads/new-record.ts';
import { blobMetadata } from '../heads/overflow.ts';
import type { InlineHead } from '../records/record.ts';
import { outcomeUnknown } from '../heads/commit-life.ts';
import { amendHead } from '../heads/head-amend.ts';
import { versionNonce } from '../heads/head-commit.ts';
import { type Head, parseHead } from '../heads/head.ts';
import type { PutTarget } from '../heads/object-requests.ts';
import { type StoredEtag, etagWithoutAnswer } from '../versions/unanswered-md5.ts';

/** What is known about a write of a head that has certainly happened. */
export interface Written {
  /** The MD5 of the bytes, if the service's answer said it. */
  readonly md5?: string;
  /**
   * Absent when the answer was lost and the write was recognised on the head: others may have changed the record since,
   * or replaced the object.
   */
  readonly stored?: { readonly revision: Revision; readonly record: InlineHead };
}

/**
 * Describes a write that was recognised by its nonce. A nonce in the ring proves that the write happened; the head
 * itself is another request's by now.
 */
export function recognisedWrite(head: Head, nonce: string): Written {
  const { md5 } = head.properties;
  return md5 === undefined || versionNonce(head) !== nonce ? {} : { md5 };
}

interface WrittenHead extends Written {
  readonly parts: ObjectParts;
  /** The nonce of the write. */
  readonly nonce: string;
}

/**
 * Finds the ETag and the checksum of an object that was just written at its key, as reads will show them. The checksum
 * of a trailer came after the metadata had been sent, and the MD5 has to be found if the service did not answer it.
 * What the record lacks is added to it.
 * @throws StoreError unavailable and `lost`, whatever fails: the object is there
 */
export async function storedSums(
  target: PutTarget,
  written: WrittenHead,
  call: Call,
): Promise<{ etag: string; checksum?: Checksum }> {
  const { request } = target;
  const facts: BodyFacts = request.facts === undefined ? {} : await request.facts;
  const late =
    request.checksum === undefined && facts.checksum !== undefined
      ? ({ ...facts.checksum, type: 'FULL_OBJECT' } as const)
      : undefined;
  const known = request.etag ?? written.md5;
  try {
    const { etag, kept } =
      known === undefined
        ? await askForEtag(target, { ...written, md5: request.md5 ?? facts.md5 }, call)
        : { etag: known, kept: true };
    const addition = { ...(!kept && { etag }), ...(late && { checksum: late }) };
    if (!kept || late !== undefined) await addToRecord(target, written, addition, call);
    const checksum = request.checksum ?? late;
    return { etag, ...(checksum && { checksum }) };
  } catch (error) {
    throw isStoreError(error) && error.kind !== 'aborted' ? outcomeUnknown(error) : error;
  }
}

interface Asked extends Pick<WrittenHead, 'nonce' | 'parts'> {
  /** Known from elsewhere. */
  readonly md5: string | undefined;
}

function askForEtag({ bucket, request }: PutTarget, { nonce, parts, md5 }: Asked, call: Call): Promise<StoredEtag> {
  const { ref } = parts;
  const isOurs = (properties: BlobProperties): boolean => versionNonce(parseHead(ref, properties)) === nonce;
  return etagWithoutAnswer(bucket.home.store, { ref, body: request.body, md5, isOurs }, call);
}

/**
 * Adds to the record on the revision that was just written. If the head has moved on but the version is still current
 * (its tags were changed), it adds to the record there. A version that was displaced needs no addition.
 */
async function addToRecord(
  { bucket, key }: PutTarget,
  { nonce, parts, stored }: WrittenHead,
  addition: Pick<InlineHead, 'etag' | 'checksum'>,
  call: Call,
): Promise<void> {
  if (stored !== undefined) {
    const metadata = await blobMetadata(bucket.home, { ...stored.record, ...addition }, parts.native, call);
    try {
      await bucket.home.store.setMetadata(parts.ref, metadata, at(stored.revision), call);
      return;
    } catch (error) {
      // It does no harm to add it once more if only the answer was lost.
      if (!isStoreError(error, 'conditionFailed', 'notFound') && !(isStoreError(error) && error.lost)) throw error;
    }
  }
  await amendHead(
    { bucket, key, change: (head) => (head?.record?.nonce === nonce ? { ...head.record, ...addition } : undefined) },
    call,
  );
}
