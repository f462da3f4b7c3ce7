import { randomUUID } from 'node:crypto';
import type { Call } from '../../observe/call.ts';
import { ABSENT } from '../../store/blob-store.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import { bodySize } from '../../streams/bytes.ts';
import type { Bucket } from '../buckets/bucket.ts';
import { mtimeOfSeq, newNonce } from '../records/clock.ts';
import { type HeadChange, changeHead, ringAfter } from './head-commit.ts';
import type { Head } from './head.ts';
import { headPlace, stagingRef } from '../records/names.ts';
import { recordOf } from '../records/new-record.ts';
import type { ObjectsContext } from './object-context.ts';
import type { Committed, PublishRequest, PutTarget } from './object-requests.ts';
import { blobMetadata } from '../records/overflow.ts';
import { type ObjectRecord, partitionHeaders, partitionUserMetadata } from '../records/record.ts';

const EMPTY = new Uint8Array(0);

/**
 * Makes a private blob the object: the head becomes an mlink to it, by compare-and-swap, at a cost
 * that does not depend on its size. Settling (moving the bytes to the key) follows in the background.
 */
export async function publishObject(
  context: ObjectsContext,
  target: { readonly bucket: Bucket; readonly key: string; readonly request: PublishRequest },
  call: Call,
): Promise<Committed> {
  const { bucket, key, request } = target;
  const { blob, seq, etag, size, parts, once } = request;
  const nonce = once?.nonce ?? newNonce();
  const { native } = partitionUserMetadata(request.attributes.userMetadata);
  const link: ObjectRecord = { kind: 'mlink', seq, etag, size, blob: blob.name, ...(parts && { parts }), ...recordOf(bucket, key, request) };
  const change: HeadChange<Head | undefined> = {
    bucket,
    key,
    conditions: request.conditions,
    nonce,
    repeatable: true,
    write: async (head, condition) => {
      const record: ObjectRecord = { ...link, nonce, ...ringAfter(head), ...displaced(head, blob.name) };
      const metadata = await blobMetadata(bucket.home, record, native, call);
      const headers = partitionHeaders(request.attributes.headers).native;
      await bucket.home.store.write(headPlace(bucket, key).ref, EMPTY, { headers, metadata, condition }, call);
      return head;
    },
    recognise: () => undefined,
    ...(once && { already: async (head) => ((await once.happened(head)) ? { result: undefined } : undefined) }),
  };
  const before = await changeHead(change, call);
  for (const name of displaced(before, blob.name).dels ?? []) context.settler.discard(bucket.home, name);
  context.settler.schedule(bucket, key);
  return { etag, mtime: mtimeOfSeq(seq), ...(request.checksum !== undefined && { checksum: request.checksum }) };
}

/** The private blob of an mlink that this write displaces: named in the new head, so that a crash leaves a trace of it. */
function displaced(head: Head | undefined, own: string): { dels?: readonly string[] } {
  const blob = head?.record?.blob;
  return blob === undefined || blob === own ? {} : { dels: [blob] };
}

/** A body beyond the service's largest single write: blocks of a private blob, then published like an upload. */
export async function putViaPrivateBlob(context: ObjectsContext, target: PutTarget, call: Call): Promise<Committed> {
  const { bucket, key, request } = target;
  const { home } = bucket;
  const blob = stagingRef(home, `put-${randomUUID()}`);
  const seq = context.clock.next();
  try {
    const { tokens } = await home.store.stagePart(blob, request.body, call);
    const facts = request.facts === undefined ? {} : await request.facts;
    const etag = facts.md5 ?? request.md5;
    if (etag === undefined) throw new StoreError('unexpected', { call: 'stagePart', code: 'NoMd5OfBody' });
    await home.store.assemble(blob, { tokens, metadata: {}, condition: ABSENT }, call);
    const checksum = request.checksum ?? (facts.checksum && ({ ...facts.checksum, type: 'FULL_OBJECT' } as const));
    const { body: _body, md5: _md5, facts: _facts, ...version } = request;
    const published = { ...version, blob, seq, etag, size: bodySize(request.body), ...(checksum && { checksum }) };
    return await publishObject(context, { bucket, key, request: published }, call);
  } catch (error) {
    // With the outcome unknown the head may name the blob already: then the sweeper decides.
    if (!(isStoreError(error) && error.lost)) context.settler.discard(home, blob.name);
    throw error;
  }
}
