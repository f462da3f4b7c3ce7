import type { Call } from '../../observe/call.ts';
import { judgeWrite, preconditionFailed } from '../../protocol/conditions.ts';
import type { Condition, Revision } from '../../store/blob-store.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import { newNonce } from '../records/clock.ts';
import { headPlace } from '../records/names.ts';
import { linkMetadata } from '../heads/overflow.ts';
import { nativeIn } from '../records/metadata.ts';
import { type FieldsOf, fieldsOf } from '../records/record-fields.ts';
import { discardPieces } from './settle.ts';
import {
  type HeadRecord,
  type LinkHead,
  type OwnRecord,
  RECORD_NAME,
  type MarkerHead,
  type VoidHead,
  encodeRecord,
  namedNull,
  namedVersion,
  objectFields,
  withLog,
  withoutNull,
} from '../records/record.ts';
import { type VersionToken, isVersionToken, seqOfToken } from '../records/version-token.ts';
import { sealKnown } from './upload-claim.ts';
import { announce, withdraw, withdrawRemoval } from '../heads/announce.ts';
import { rewriteRecord } from '../heads/head-amend.ts';
import { byNonce, changeHead, noncesAmended, ringAfter } from '../heads/head-commit.ts';
import { type Head, NULL_VERSION, contentHeadersOf, nativeRecord, shownOf, viewOf } from '../heads/head.ts';
import type { ObjectsContext } from './object-context.ts';
import { readHead } from '../heads/object-read.ts';
import type { ObjectTarget, RemoveRequest, Removed } from '../heads/object-requests.ts';
import { indexDeletion } from './create-marker.ts';
import { finishDeletion, nullBlobOf, redo, seqOfHead } from './displace.ts';
import { VERSIONING_JUST_ENABLED, isDraining, mayHideVersions, versionsNewestFirst } from './drain-window.ts';
import { RemovalReason, removeVersionBlob } from './remove-blob.ts';
import { currentId, requireSame, requireStanding } from './standing.ts';
import { type VersionBlob, isVisible, readVersion, versionView } from './version-blob.ts';
import type { KeyRef } from '../records/key-ref.ts';
import { AGAIN } from '../records/turns.ts';

const EMPTY = new Uint8Array(0);

interface Target extends ObjectTarget {
  readonly versionId: string;
}

/** What a turn has decided on, for what follows the commit. */
interface Removal {
  readonly removed: Removed;
  /** Own blob of the version that went. */
  readonly token?: VersionToken;
  /** Revision of the void that stands there, which goes when nothing of its log is left to be done. */
  readonly voidRevision?: Revision;
  /** Where its bytes lie, if it is in pieces. */
  readonly apart?: Pick<FieldsOf<'shown'>, 'encryption' | 'restore'>;
}

/**
 * Deletes a version for good. The commit is always one conditional write of the head, also for a version that is not
 * current: so the history cannot change between the look at it and the decision. The version's own blob is removed
 * before the client is answered.
 */
export async function removeVersion(
  context: ObjectsContext,
  target: Target,
  request: RemoveRequest,
  call: Call,
): Promise<Removed> {
  const { bucket, key, versionId } = target;
  const nonce = newNonce();
  let isInDoubt = false;
  let decided: Removal = { removed: { deleteMarker: false, versionId: target.versionId } };
  const removal = await changeHead<Removal>(
    {
      bucket,
      key,
      conditions: {},
      writes: 'held',
      plan: async ({ head }, condition) => {
        await refuseInWindow(context, target, head, call);
        await requireStanding(target, request, head, call);
        const turn: Turn = { context, target, request, head, condition, nonce };
        const plan = await (isCurrent(target, head)
          ? planCurrent({ ...turn, head }, call)
          : planNoncurrent(turn, call));
        if (plan === AGAIN) return AGAIN;
        decided = plan.removal;
        if (plan.isNothing === true) {
          if (!isInDoubt) await withdrawRemoval(target, call);
        } else {
          const seq = seqOfHead(head);
          const leavesNothing = plan.leavesVoid === true;
          const named = versionId === NULL_VERSION ? undefined : versionId;
          await announce(target, { kind: 'removed', nonce, head, leavesNothing, seq, versionId: named }, call);
        }
        return plan.send;
      },
      onDoubt: () => {
        isInDoubt = true;
      },
      recognise: byNonce(nonce, () => decided),
    },
    call,
  ).catch((error: unknown) => {
    if (!isInDoubt) withdraw(target, context.settler, call);
    throw error;
  });
  if (removal.token !== undefined) {
    await removeVersionBlob(target, removal.token, RemovalReason.committed(removal.token), call);
  }
  if (removal.apart !== undefined) discardPieces(context.settler, target, removal.apart);
  if (removal.voidRevision !== undefined) await removeVoid(target, removal.voidRevision, call);
  return removal.removed;
}

interface Turn {
  readonly context: ObjectsContext;
  readonly target: Target;
  readonly request: RemoveRequest;
  readonly head: Head | undefined;
  readonly condition: Condition;
  readonly nonce: string;
}

interface Plan {
  readonly removal: Removal;
  readonly send: () => Promise<Removal>;
  /** There is nothing to be removed. */
  readonly isNothing?: boolean;
  /** The head becomes a void, which goes soon. */
  readonly leavesVoid?: boolean;
}

/**
 * Refuses while an unconditional PUT from before versioning may have overwritten the head: such a head does not name
 * the versions below it, so a DELETE that went by it could not find them.
 */
async function refuseInWindow(
  context: ObjectsContext,
  place: KeyRef,
  head: Head | undefined,
  call: Call,
): Promise<void> {
  if (head === undefined || !isDraining(context, place.bucket) || !mayHideVersions(head)) return;
  for await (const _version of versionsNewestFirst(place, call)) {
    throw new StoreError('unavailable', { call: 'write', code: VERSIONING_JUST_ENABLED });
  }
}

function isCurrent({ versionId }: Target, head: Head | undefined): head is Head {
  return head !== undefined && currentId(head) === versionId;
}

async function planNoncurrent(turn: Turn, call: Call): Promise<Plan | typeof AGAIN> {
  const { target, request, head, condition, nonce } = turn;
  const { bucket, key, versionId } = target;
  const token = versionId === NULL_VERSION ? nullBlobOf(head) : versionId;
  const version =
    token === undefined || !isVersionToken(token) ? undefined : await readVersion({ bucket, key }, token, call);
  const isRemovable =
    version !== undefined &&
    isVisible(head, version) &&
    (version.record.isNull === true) === (versionId === NULL_VERSION);
  if (!isRemovable) return planNothing(turn, version, call);
  requireSame(request.standing, target, version);
  allow(request, version, target);
  if (head === undefined) return planSurvivor(turn, version, call);
  await Promise.all([
    redo(target, head, call),
    sealKnown({ ...target, token: version.token }, version.properties.metadata, call),
  ]);

  const removal: Removal = {
    removed: { deleteMarker: version.record.kind === 'marker', versionId },
    token: version.token,
    ...apartOf(version.record),
  };
  const record = withLog(head.record ?? nativeRecord(head), { dels: [version.token] });
  const kept = namedNull(record) === version.token ? withoutNull(record) : record;
  const amended = { ...kept, ...noncesAmended(head, nonce) };
  return {
    removal,
    send: async () => {
      await rewriteRecord(bucket, { head, record: amended, condition }, call);
      return removal;
    },
  };
}

function apartOf(record: HeadRecord | OwnRecord | undefined): Pick<Removal, 'apart'> {
  return record !== undefined && 'encryption' in record ? { apart: record } : {};
}

/**
 * Answers that there is no such version, after reading the head again. If the head's log names the version, somebody
 * has deleted it and did not come to remove its blob. Readers of the id would find the blob, so the log is done first.
 * @returns AGAIN: the head has changed meanwhile, and may name the version now
 */
async function planNothing(
  { target, head }: Turn,
  version: VersionBlob | undefined,
  call: Call,
): Promise<Plan | typeof AGAIN> {
  const now = await readHead(target, call);
  if (now?.properties.revision !== head?.properties.revision) return AGAIN;
  const removed: Removed = { deleteMarker: false, versionId: target.versionId };
  let removal: Removal = { removed };
  if (version !== undefined && (await finishDeletion(target, now, version.token, call))) {
    const isVoid = now?.record?.kind === 'void';
    removal = { removed, ...apartOf(version.record), ...(isVoid && { voidRevision: now.properties.revision }) };
  }
  return { removal, send: async () => removal, isNothing: true };
}

/**
 * Plans to delete a version whose key has no head, because a tool of the cloud removed it. A void stands there until
 * the version's own blob is removed, so that all other changes of the key go by it. Then other versions that survived
 * are seen as before.
 * @throws StoreError unavailable: one that is hidden meanwhile may be the current version (`survivingVersion`)
 */
async function planSurvivor(
  { context, target, condition, nonce }: Turn,
  { token, record, properties }: VersionBlob,
  call: Call,
): Promise<Plan> {
  if (isDraining(context, target.bucket)) {
    throw new StoreError('unavailable', { call: 'write', code: VERSIONING_JUST_ENABLED });
  }
  const seq = seqOfToken(token);
  await Promise.all([sealKnown({ ...target, token }, properties.metadata, call), indexDeletion(target, seq, call)]);
  const removed: Removed = { deleteMarker: record?.kind === 'marker', versionId: token };
  const removal: Removal = { removed, token, ...apartOf(record) };
  const { trueKey } = headPlace(target);
  const left: VoidHead = {
    kind: 'void',
    seq,
    floor: seq,
    dels: [token],
    nonce,
    ...ringAfter(undefined),
    ...(trueKey !== undefined && { key: trueKey }),
  };
  return {
    removal,
    leavesVoid: true,
    send: async () => ({ ...removal, voidRevision: await writeVoid(target, { left, condition }, call) }),
  };
}

/** @throws S3Error PreconditionFailed, and what the guard throws */
function allow({ conditions, guard }: RemoveRequest, version: VersionBlob, { bucket, key }: Target): void {
  if (version.record?.kind === 'marker') return;
  const view = versionView({ bucket, key }, version);
  judgeWrite(conditions, view, key);
  guard?.(view);
}

/**
 * Plans to delete the current version. The newest visible one of the others becomes current. If there is none, a void
 * takes the head's place until the deleted version's own blob is removed.
 */
async function planCurrent(
  { target, request, head, condition, nonce }: Turn & { readonly head: Head },
  call: Call,
): Promise<Plan> {
  const { bucket, key, versionId } = target;
  const token = namedVersion(head.record);
  const { own, next } = await neighbours(target, head, call);
  if (request.standing !== undefined && next !== undefined) throw preconditionFailed('If-Match');
  if (own !== undefined && head.record?.kind !== 'assembled') allow(request, own, target);
  else if (head.record?.kind !== 'marker') allowHead(request, head, target);
  const seal = own !== undefined && sealKnown({ ...target, token: own.token }, own.properties.metadata, call);
  const hides = next?.record?.kind !== 'inline';
  await Promise.all([redo(target, head, call), seal, hides && indexDeletion(target, seqOfHead(head), call)]);

  const removed: Removed = { deleteMarker: head.record?.kind === 'marker', versionId };
  const removal: Removal = { removed, ...(token !== undefined && { token }), ...apartOf(head.record) };
  const { ref } = headPlace({ bucket, key });
  const handed = { ...handedOn(target, head, next), nonce };
  const send = async (): Promise<Removal> => {
    if (next === undefined) {
      const left: VoidHead = { kind: 'void', seq: seqOfHead(head), ...handed };
      return { ...removal, voidRevision: await writeVoid(target, { left, condition }, call) };
    }
    const metadata = linkMetadata(
      bucket.home,
      { ...promoted(next, target), ...handed },
      nativeIn(next.properties.metadata),
    );
    await bucket.home.store.write(
      ref,
      EMPTY,
      { headers: contentHeadersOf(next.properties), metadata, condition },
      call,
    );
    return removal;
  };
  return { removal, send, leavesVoid: next === undefined };
}

/** What a head that loses its version hands on to the one that is written in its place. */
function handedOn(
  { bucket, key }: KeyRef,
  head: Head,
  next: VersionBlob | undefined,
): Pick<LinkHead, 'floor' | 'key' | 'ring' | 'dels' | 'nullVersion'> {
  const token = namedVersion(head.record);
  const { trueKey } = headPlace({ bucket, key });
  const nullVersion = namedNull(head.record);
  return {
    floor: head.record?.floor ?? seqOfHead(head),
    ...(trueKey !== undefined && { key: trueKey }),
    ...ringAfter(head),
    ...(token !== undefined && { dels: [token] }),
    ...(nullVersion !== undefined && nullVersion !== next?.token && { nullVersion }),
  };
}

function allowHead({ conditions, guard }: RemoveRequest, head: Head, { bucket, key }: Target): void {
  const view = viewOf(head, { bucket, key });
  judgeWrite(conditions, view, key);
  guard?.(view);
}

/** The current version's own blob, and the newest visible version besides it. */
async function neighbours(
  target: Target,
  head: Head,
  call: Call,
): Promise<{ own: VersionBlob | undefined; next: VersionBlob | undefined }> {
  let own: VersionBlob | undefined;
  for await (const version of versionsNewestFirst(target, call)) {
    if (version.token === namedVersion(head.record)) own = version;
    else if (isVisible(head, version)) return { own, next: version };
  }
  return { own, next: undefined };
}

/**
 * The head that makes an earlier version current again. That version was stamped when it was displaced, unless it is
 * the null version.
 */
function promoted(next: VersionBlob, { bucket }: Target): LinkHead | MarkerHead {
  const { token } = next;
  const record = next.record ?? { kind: 'inline', seq: seqOfToken(token) };
  const named = {
    ...objectFields(record),
    ...fieldsOf(record, 'own'),
    version: token,
    seq: seqOfToken(token),
    ...(record.isNull !== true && { stamp: true }),
  };
  if (record.kind === 'marker') return { ...named, kind: 'marker' };
  const { etag, size } = shownOf(next, bucket);
  return { ...named, kind: 'link', etag, size };
}

async function writeVoid(
  { bucket, key }: KeyRef,
  { left, condition }: { readonly left: VoidHead; readonly condition: Condition },
  call: Call,
): Promise<Revision> {
  const metadata = { [RECORD_NAME]: encodeRecord(left) };
  const { ref } = headPlace({ bucket, key });
  return (await bucket.home.store.write(ref, EMPTY, { metadata, condition }, call)).revision;
}

/** Harmless when it fails: nothing reads a void. */
async function removeVoid({ bucket, key }: KeyRef, revision: Revision, call: Call): Promise<void> {
  try {
    await bucket.home.store.remove(headPlace({ bucket, key }).ref, revision, call);
  } catch (error) {
    if (!isStoreError(error)) throw error;
  }
}
