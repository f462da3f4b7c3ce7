import type { Call } from '../../observe/call.ts';
import { hasWriteConditions, isCreateOnly } from '../../protocol/conditions.ts';
import { ABSENT, type Condition, type WriteResult } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import { mtimeOfSeq, newNonce } from '../records/clock.ts';
import { whileStreaming } from '../heads/commit-life.ts';
import { type HeadChange, byNonce, changeHead, refusal, ringAfter, writeOnce } from '../heads/head-commit.ts';
import { type Head, NULL_VERSION } from '../heads/head.ts';
import { headPlace } from '../records/names.ts';
import { recordOf } from '../heads/new-record.ts';
import { asNoSuchBucket } from '../heads/object-read.ts';
import type { ObjectsContext } from '../versions/object-context.ts';
import type { Committed, PutTarget } from '../heads/object-requests.ts';
import { blobMetadata } from '../heads/overflow.ts';
import { partitionHeaders, partitionUserMetadata } from '../records/metadata.ts';
import type { InlineHead } from '../records/record.ts';
import { type Written, recognisedWrite, storedSums } from './stored-sums.ts';
import { ownEtag } from '../versions/upload-version.ts';

/**
 * Stores an object inline at its key: one write of the head, bytes and record together.
 *
 * Unconditional: one call, not repeated after a lost answer (the client decides). `If-None-Match: *`:
 * the service's own create-if-absent. Other conditions: judged on the head, then pinned to its revision.
 */
export async function putInline(context: ObjectsContext, target: PutTarget, call: Call): Promise<Committed> {
  const { bucket, key, request } = target;
  const draft = draftOf(context, target);
  if (!hasWriteConditions(request.conditions)) {
    try {
      return await answerOf(target, draft, await writeInline(target, draft, { head: undefined, condition: undefined }, call), call);
    } catch (error) {
      throw asNoSuchBucket(error, bucket);
    }
  }
  const change: HeadChange<Written> = {
    bucket,
    key,
    conditions: request.conditions,
    repeatable: request.body instanceof Uint8Array,
    plan: async (head, condition) => () => writeInline(target, draft, { head, condition }, call),
    recognise: byNonce(draft.nonce, (head) => recognisedWrite(head, draft.nonce)),
  };
  const result = isCreateOnly(request.conditions) ? await create(change, call) : await changeHead(change, call);
  return answerOf(target, draft, result, call);
}

async function answerOf(target: PutTarget, { seq, nonce }: Draft, written: Written, call: Call): Promise<Committed> {
  return { ...(await storedSums(target, { nonce, ...written }, call)), mtime: mtimeOfSeq(seq), versionId: NULL_VERSION };
}

/** The record of this write, with the proof of its authorship. */
type Draft = InlineHead & { readonly nonce: string };

function draftOf(context: ObjectsContext, { bucket, key, request }: PutTarget): Draft {
  return { kind: 'inline', seq: context.clock.next(), nonce: newNonce(), ...ownEtag(request), ...recordOf(bucket, key, request) };
}

async function writeInline(
  { bucket, key, request }: PutTarget,
  draft: Draft,
  on: { head: Head | undefined; condition: Condition | undefined },
  call: Call,
): Promise<Written> {
  const { native } = partitionUserMetadata(request.attributes.userMetadata);
  const record = { ...draft, ...(on.condition !== undefined && ringAfter(on.head)) };
  const wire = {
    headers: partitionHeaders(request.attributes.headers).native,
    metadata: await blobMetadata(bucket.home, record, native, call),
    ...(on.condition !== undefined && { condition: on.condition }),
    ...(request.md5 !== undefined && { md5: request.md5 }),
  };
  const write = (own: Call): Promise<WriteResult> => bucket.home.store.write(headPlace(bucket, key).ref, request.body, wire, own);
  const { md5, revision } = await (request.body instanceof Uint8Array ? write(call) : whileStreaming(call, write));
  return { ...(md5 !== undefined && { md5 }), stored: { revision, record } };
}

async function create(change: HeadChange<Written>, call: Call): Promise<Written> {
  try {
    const send = await change.plan(undefined, ABSENT);
    return await writeOnce(change, { send, condition: ABSENT, head: undefined }, call);
  } catch (error) {
    if (isStoreError(error, 'conditionFailed')) throw await refusal(change, error, call);
    throw asNoSuchBucket(error, change.bucket);
  }
}
