import { isDeepStrictEqual } from 'node:util';
import { S3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import type { BlobStore } from '../../store/blob-store.ts';
import { blobsOf, pagesOf } from '../../store/pages.ts';
import { isStoreError } from '../../store/store-error.ts';
import { mapConcurrent } from '../../streams/map-concurrent.ts';
import { amendHead } from '../heads/head-amend.ts';
import { NULL_VERSION } from '../heads/head.ts';
import type { ObjectTarget } from '../heads/object-requests.ts';
import { removePieces } from '../heads/pieces.ts';
import type { Piece } from '../records/encryption.ts';
import type { ObjectView } from '../records/object-view.ts';
import { pieceRef, piecesOfToken, restoredId } from '../records/piece-names.ts';
import type { LooseRecord } from '../records/record.ts';
import type { FieldsOf } from '../records/record-fields.ts';
import {
  type Restore,
  type RestoreRequest,
  type RetrievalTier,
  RETRIEVAL_TIERS,
  isRestored,
  isRestoring,
  restoredUntil,
} from '../records/restore.ts';
import { timeOf } from '../records/time.ts';
import { type VersionToken, newToken } from '../records/version-token.ts';
import type { AmendedFields } from '../versions/object-amendment.ts';
import { findObject } from '../versions/find-version.ts';
import type { ObjectsContext } from '../versions/object-context.ts';
import { amendObject } from './object-amend.ts';

/** Pieces of one object that are brought back at a time. */
const CONCURRENCY = 16;

interface RestoreTarget extends ObjectTarget {
  readonly request: RestoreRequest;
  /** Looks at the object as it is, and throws to refuse. May be asked several times. */
  readonly guard: (view: ObjectView) => void;
}

/**
 * Makes the bytes of an archived object readable for some days. Where archived bytes are offline, copies of the pieces
 * are brought back under names of their own, first; then the record names them, as it does with pieces that a PUT
 * writes. What nothing names in the end is the sweeper's. A restore that runs can be made faster: by new copies, where
 * the service has a faster way.
 * @returns `renewed`: they were readable already, and are so for as many days from now
 * @throws S3Error RestoreAlreadyInProgress, and what the guard throws
 */
export async function restoreObject(
  context: ObjectsContext,
  { bucket, key, versionId, request, guard }: RestoreTarget,
  call: Call,
): Promise<'started' | 'renewed'> {
  const target = { bucket, key, versionId };
  const found = await findObject(context, target, call);
  guard(found);
  const view = await finishRestore(context, { ...target, view: found }, call);
  const now = timeOf(bucket.home).now();
  const of = view.encryption?.token;
  if (isRestored(view.restore, now)) {
    const renewed = ({ restore }: ObjectView): Restore | undefined =>
      restore && { ...restore, days: request.days, until: restoredUntil(now, request.days) };
    await amendRestore(context, { ...target, change: ifSame(of, guard, renewed) }, call);
    return 'renewed';
  }
  const running = isRestoring(view.restore, now) ? view.restore : undefined;
  const restore = running === undefined ? newRestore(context, target, request, now) : faster(context, running, request);
  const { token } = restore;
  const change = ifSame(of, guard, ({ restore: current }) => {
    if (!isDeepStrictEqual(current, view.restore)) throw new S3Error('RestoreAlreadyInProgress');
    return restore;
  });
  const copies = token === undefined || token === running?.token ? undefined : token;
  if (copies !== undefined) {
    await bringBack(target, { from: of ?? '', to: copies, pieces: view.pieces ?? [], request }, call);
  }
  try {
    await amendRestore(context, { ...target, change, tell: begun(restore, running) }, call);
  } catch (error) {
    // Only where it is certain that no record names the copies.
    if (copies !== undefined && error instanceof S3Error && error.status < 500) {
      context.settler.later(`restored ${copies}`, (own) => removePieces(target, copies, own));
    }
    throw error;
  }
  return 'started';
}

function newRestore(context: ObjectsContext, { bucket }: ObjectTarget, request: RestoreRequest, now: number): Restore {
  const offline = isOffline(bucket.home.store);
  return {
    ...request,
    requestedAt: now,
    ...(offline ? { token: newToken(context.clock.next()) } : { until: restoredUntil(now, request.days) }),
  };
}

/** Where archived bytes are not offline, a restore is done when it is asked for. A faster one is none of its own. */
function begun({ until }: Restore, running: Restore | undefined): AmendedFields['tell'] {
  if (running !== undefined) return undefined;
  return until === undefined ? ['restoreBegun'] : ['restoreBegun', 'restored'];
}

/** Its days stay. @throws S3Error RestoreAlreadyInProgress: what is asked for is no faster */
function faster(context: ObjectsContext, running: Restore, { tier }: RestoreRequest): Restore {
  if (RETRIEVAL_TIERS.indexOf(tier) >= RETRIEVAL_TIERS.indexOf(running.tier)) {
    throw new S3Error('RestoreAlreadyInProgress');
  }
  return { ...running, tier, ...(isUrgent(tier) && { token: newToken(context.clock.next()) }) };
}

/** The clouds know two ways. */
function isUrgent(tier: RetrievalTier): boolean {
  return tier === 'Expedited';
}

function isOffline(store: BlobStore): boolean {
  return store.capabilities.archiveIsOffline && 'rehydrate' in store;
}

/** A change of a restore that is made to the object that was looked at, and to no other of its key. */
function ifSame(
  of: string | undefined,
  guard: RestoreTarget['guard'],
  change: RestoreAmendment['change'],
): typeof change {
  return (view) => {
    guard(view);
    if (view.encryption?.token !== of) throw new S3Error('OperationAborted');
    return change(view);
  };
}

interface Copies {
  readonly from: string;
  readonly to: VersionToken;
  readonly pieces: readonly Piece[];
  readonly request: RestoreRequest;
}

async function bringBack(
  place: ObjectTarget,
  { from, to, pieces, request: { tier } }: Copies,
  call: Call,
): Promise<void> {
  const { store } = place.bucket.home;
  await mapConcurrent(pieces, CONCURRENCY, async ({ id }) => {
    const request = { source: pieceRef(place, from, id), tier: 'hot', isUrgent: isUrgent(tier) } as const;
    await store.rehydrate?.(pieceRef(place, to, restoredId(id)), request, call);
  });
}

interface RestoreAmendment extends ObjectTarget {
  /** The restore as it is to be; the same: it is so already; undefined: nothing is to be said of it. */
  readonly change: (view: ObjectView) => Restore | undefined;
  /** What events say of it; absent: nothing. */
  readonly tell?: AmendedFields['tell'] | undefined;
}

/** Writes into the record of a version what becomes of its restore, and into the head that repeats the record. */
async function amendRestore(
  context: ObjectsContext,
  { change, tell, ...target }: RestoreAmendment,
  call: Call,
): Promise<Restore | undefined> {
  let restore: Restore | undefined;
  const before = await amendObject(
    context,
    target,
    (view) => {
      restore = change(view);
      return restore === undefined || restore === view.restore ? undefined : { restore, ...(tell && { tell }) };
    },
    call,
  );
  if (restore !== undefined) await repeatInHead(target, before, { restore }, call);
  return restore;
}

const REPEATED = ['storageClass', 'encryption', 'pieces', 'restore'] as const;
type Repeated = Pick<FieldsOf<'said' | 'shown'>, (typeof REPEATED)[number]>;

/**
 * Listings show of a current version what its head repeats. A head that was swapped meanwhile repeats another one. A
 * read of the head; a write where it says otherwise.
 */
export async function repeatInHead(
  { bucket, key }: ObjectTarget,
  { versionId }: Pick<ObjectView, 'versionId'>,
  fields: Repeated,
  call: Call,
): Promise<void> {
  if (versionId === NULL_VERSION) return;
  await amendHead(
    {
      bucket,
      key,
      change: (head) => {
        const record = head?.record;
        if (record?.kind !== 'link' || record.version !== versionId) return undefined;
        const said: Partial<LooseRecord> = record;
        const isRepeated = REPEATED.every((name) => !(name in fields) || isDeepStrictEqual(said[name], fields[name]));
        return isRepeated ? undefined : { ...record, ...fields };
      },
    },
    call,
  );
}

/**
 * Looks whether a restore that runs has come to its end, and writes that down: from now on the days count.
 * @returns the view as it is then
 */
export async function finishRestore(
  context: ObjectsContext,
  { view, ...target }: ObjectTarget & { readonly view: ObjectView },
  call: Call,
): Promise<ObjectView> {
  const { home } = target.bucket;
  const { restore: running, pieces = [] } = view;
  if (running?.token === undefined || !isRestoring(running, timeOf(home).now())) return view;
  const { token, days } = running;
  if (!(await areBack(target, { token, pieces }, call))) return view;
  const now = timeOf(home).now();
  const change = ({ restore }: ObjectView): Restore | undefined =>
    restore?.token === token && restore.until === undefined
      ? { ...restore, until: restoredUntil(now, days) }
      : undefined;
  const versionId = target.bucket.versioning === 'never' ? undefined : view.versionId;
  const restore = await amendRestore(context, { ...target, versionId, change, tell: ['restored'] }, call);
  return restore === undefined ? findObject(context, target, call) : { ...view, restore, archived: false };
}

/**
 * Takes a restore that is over out of the record of its version, for those who ask to be told.
 * @returns false: it is not what it was any more
 */
export async function endRestore(
  context: ObjectsContext,
  { view, ...target }: ObjectTarget & { readonly view: ObjectView },
  call: Call,
): Promise<boolean> {
  const found = { isSame: false };
  const versionId = target.bucket.versioning === 'never' ? undefined : view.versionId;
  const amendment = ({ restore }: ObjectView): AmendedFields | undefined => {
    found.isSame = isDeepStrictEqual(restore, view.restore);
    return found.isSame ? { restore: undefined, tell: ['restoreOver'] } : undefined;
  };
  const before = await amendObject(context, { ...target, versionId }, amendment, call);
  const none: { readonly restore: Restore | undefined } = { restore: undefined };
  if (found.isSame) await repeatInHead(target, before, none as Repeated, call);
  return found.isSame;
}

/** Whether the copies of all pieces are there, whole, and can be read: a list call for each thousand. */
async function areBack(
  place: ObjectTarget,
  { token, pieces }: { readonly token: VersionToken; readonly pieces: readonly Piece[] },
  call: Call,
): Promise<boolean> {
  const { store, system } = place.bucket.home;
  const prefix = piecesOfToken(place, token);
  const back = new Map<string, number>();
  try {
    for await (const page of pagesOf(store, system, { prefix }, call)) {
      for (const { name, size, archived } of blobsOf(page)) {
        if (archived === true) return false;
        back.set(name.slice(prefix.length), size);
      }
    }
  } catch (error) {
    if (isStoreError(error, 'containerNotFound')) return false;
    throw error;
  }
  return pieces.every(({ id, size }) => back.get(restoredId(id)) === size);
}
