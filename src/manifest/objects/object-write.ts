import type { Call } from '../../observe/call.ts';
import type { BodyFacts } from '../../protocol/body/object-body.ts';
import { hasWriteConditions, isCreateOnly } from '../../protocol/conditions.ts';
import { ABSENT, type Condition, type WriteResult, at } from '../../store/blob-store.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import { mtimeOfSeq, newNonce } from '../records/clock.ts';
import { amendHead } from './head-amend.ts';
import { type HeadChange, byNonce, changeHead, refusal, ringAfter, writeOnce } from './head-commit.ts';
import { type Head, NULL_VERSION } from './head.ts';
import { headPlace } from '../records/names.ts';
import { recordOf } from '../records/new-record.ts';
import { asNoSuchBucket } from './object-read.ts';
import type { ObjectsContext } from './object-context.ts';
import type { Committed, PutTarget } from './object-requests.ts';
import { blobMetadata } from '../records/overflow.ts';
import { type ObjectRecord, partitionHeaders, partitionUserMetadata } from '../records/record.ts';
import { ownEtag } from './versions/upload-version.ts';

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
      return await finish(target, draft, await writeInline(target, draft, { head: undefined, condition: undefined }, call), call);
    } catch (error) {
      throw asNoSuchBucket(error, bucket);
    }
  }
  const change: HeadChange<WriteResult> = {
    bucket,
    key,
    conditions: request.conditions,
    repeatable: request.body instanceof Uint8Array,
    plan: async (head, condition) => () => writeInline(target, draft, { head, condition }, call),
    recognise: byNonce(draft.nonce, (head) => head.properties),
  };
  const result = isCreateOnly(request.conditions) ? await create(change, call) : await changeHead(change, call);
  return finish(target, draft, result, call);
}

/** The record of this write, with the proof of its authorship. */
type Draft = ObjectRecord & { readonly nonce: string };

function draftOf(context: ObjectsContext, { bucket, key, request }: PutTarget): Draft {
  return { kind: 'inline', seq: context.clock.next(), nonce: newNonce(), ...ownEtag(request), ...recordOf(bucket, key, request) };
}

async function writeInline(
  { bucket, key, request }: PutTarget,
  draft: Draft,
  on: { head: Head | undefined; condition: Condition | undefined },
  call: Call,
): Promise<WriteResult> {
  const { native } = partitionUserMetadata(request.attributes.userMetadata);
  const metadata = await blobMetadata(bucket.home, { ...draft, ...ringAfter(on.head) }, native, call);
  return bucket.home.store.write(
    headPlace(bucket, key).ref,
    request.body,
    {
      headers: partitionHeaders(request.attributes.headers).native,
      metadata,
      ...(on.condition !== undefined && { condition: on.condition }),
      ...(request.md5 !== undefined && { md5: request.md5 }),
    },
    call,
  );
}

async function create(change: HeadChange<WriteResult>, call: Call): Promise<WriteResult> {
  try {
    const send = await change.plan(undefined, ABSENT);
    return await writeOnce(change, { send, condition: ABSENT, head: undefined }, call);
  } catch (error) {
    if (isStoreError(error, 'conditionFailed')) throw await refusal(change, error, call);
    throw asNoSuchBucket(error, change.bucket);
  }
}

/**
 * What the client is told. A checksum that came in a trailer is known only now: it is added to the
 * record on the revision just written; if that moved on, to the version wherever it is the current one
 * still (its tags were changed): one that was displaced needs none.
 */
async function finish({ bucket, key, request }: PutTarget, draft: Draft, result: WriteResult, call: Call): Promise<Committed> {
  const facts: BodyFacts = request.facts === undefined ? {} : await request.facts;
  const etag = request.etag ?? result.md5 ?? request.md5 ?? facts.md5;
  if (etag === undefined) throw new StoreError('unexpected', { call: 'write', code: 'NoMd5InAnswer' });
  const committed = { etag, mtime: mtimeOfSeq(draft.seq), versionId: NULL_VERSION };
  if (draft.checksum !== undefined) return { ...committed, checksum: draft.checksum };
  if (facts.checksum === undefined) return committed;

  const checksum = { ...facts.checksum, type: 'FULL_OBJECT' } as const;
  const { native } = partitionUserMetadata(request.attributes.userMetadata);
  const metadata = await blobMetadata(bucket.home, { ...draft, checksum }, native, call);
  try {
    await bucket.home.store.setMetadata(headPlace(bucket, key).ref, metadata, at(result.revision), call);
  } catch (error) {
    // Added once more is no harm when only the answer was lost.
    if (!isStoreError(error, 'conditionFailed', 'notFound') && !(isStoreError(error) && error.lost)) throw error;
    await amendHead({ bucket, key, change: (record) => (record?.nonce === draft.nonce ? { ...record, checksum } : undefined) }, call);
  }
  return { ...committed, checksum };
}
