import type { Call } from '../../observe/call.ts';
import { THE_SERVICE } from '../../protocol/notifications/event-names.ts';
import type { ByteSource } from '../../streams/bytes.ts';
import type { Bucket } from '../records/bucket.ts';
import type { KeyRef } from '../records/key-ref.ts';
import { withdrawRefused } from '../heads/announce.ts';
import { viewOf } from '../heads/head.ts';
import { CommitLife } from '../heads/commit-life.ts';
import { amendObject } from './object-amend.ts';
import { type ClassChange, type ClassRequest, changeClass } from './object-class.ts';
import type { ObjectAmendment } from '../versions/object-amendment.ts';
import type { ObjectsContext } from '../versions/object-context.ts';
import { copyObject } from './object-copy.ts';
import { describeVersion, publishObject } from './object-publish.ts';
import { type HeadsByKey, headsSideBySide } from '../heads/heads-of-keys.ts';
import { HeadMemory, canBeCopied } from '../heads/head-memory.ts';
import { NewKeys } from '../heads/new-keys.ts';
import { openView, readHead } from '../heads/object-read.ts';
import { removeObject } from './object-remove.ts';
import { endRestore, finishRestore, restoreObject } from './object-restore.ts';
import type {
  Committed,
  CopyObjectRequest,
  DescribedVersion,
  ObjectTarget,
  OpenRequest,
  PublishRequest,
  AnyBody,
  PutRequest,
  RemoveRequest,
  Removed,
  VersionMetadata,
} from '../heads/object-requests.ts';
import type { ObjectView } from '../records/object-view.ts';
import { type RestoreRequest, isRestoring } from '../records/restore.ts';
import { putObject } from './object-put.ts';
import { canSettle } from '../versions/settle.ts';
import { VERSIONING_DRAIN_MS, placeHead } from '../versions/drain-window.ts';
import { findObject } from '../versions/find-version.ts';
import { type OpenedObject, openObject } from '../versions/open-version.ts';
import { SYSTEM_TIME } from '../records/time.ts';

/**
 * The objects of buckets and their versions. Every change of a key is one write of its head
 * (docs/decisions/0002-commit-protocol.md).
 *
 * A change of a key goes on when its client has left, under the life of a commit (`CommitLife`); bodies and copies end
 * when the client leaves.
 */
export interface Objects {
  /** @throws S3Error NoSuchKey, NoSuchVersion, NoSuchBucket, MethodNotAllowed (a delete marker, named by its id) */
  find(target: ObjectTarget, call: Call): Promise<ObjectView>;
  /**
   * The current version of a key as this process saw it a moment ago, for copying. The copy must be on condition of the
   * view's revision, and no request may be answered or refused by the view alone
   * (docs/decisions/0038-copies-in-one-call.md). Undefined: not known.
   */
  recall(target: KeyRef): ObjectView | undefined;
  /** Properties and bytes in one backend call where possible. @throws as `find`; StoreError rangeNotSatisfiable */
  open(target: ObjectTarget, request: OpenRequest, call: Call): Promise<OpenedObject>;
  /**
   * Opens the bytes of a view that was read before. @throws StoreError conditionFailed or notFound when the object has
   * changed since
   */
  openView(bucket: Bucket, view: ObjectView, request: OpenRequest, call: Call): Promise<ByteSource>;
  /** @throws S3Error PreconditionFailed, ConditionalRequestConflict, NoSuchKey (If-Match), NoSuchBucket */
  put(target: KeyRef, request: PutRequest<AnyBody>, call: Call): Promise<Committed>;
  /** Makes a version's own blob that exists already the object of its key. @throws as `put` */
  publish(target: KeyRef, request: PublishRequest, call: Call): Promise<Committed>;
  /** Makes metadata and headers for such a blob. */
  describe(target: KeyRef, version: VersionMetadata, call: Call): Promise<DescribedVersion>;
  /**
   * Takes a seq above everything that was acknowledged for a key: above the head, and in the first moments of
   * versioning above all names. @throws S3Error NoSuchBucket
   */
  nextSeq(target: KeyRef, call: Call): Promise<number>;
  copy(target: KeyRef, request: CopyObjectRequest, call: Call): Promise<Committed>;
  /**
   * Changes the tags, ACL or lock of a version; its bytes, ETag and Last-Modified stay. @returns it as it was before.
   * @throws as `find`, and what the amendment throws
   */
  amend(target: ObjectTarget, amendment: ObjectAmendment, call: Call): Promise<ObjectView>;
  /**
   * Makes the bytes of an archived version readable for some days. @param guard looks at it as it is, and throws to
   * refuse @throws as `find`; S3Error RestoreAlreadyInProgress, and what the guard throws
   */
  restore(
    target: ObjectTarget,
    request: RestoreRequest & { readonly guard: (view: ObjectView) => void },
    call: Call,
  ): Promise<'started' | 'renewed'>;
  /**
   * The view of a version whose restore runs, as it is by now: looks whether its bytes are back. Of others the same
   * view, without a call.
   */
  finishRestore(target: ObjectTarget, view: ObjectView, call: Call): Promise<ObjectView>;
  /**
   * Takes a restore that is over out of the record, with the event that S3 has for it. @returns false: the restore is
   * another one by now. @throws as `find`
   */
  endRestore(target: ObjectTarget, view: ObjectView, call: Call): Promise<boolean>;
  /**
   * Changes the storage class of a version in place, if it is still as the view says; bytes, ETag, version id and
   * Last-Modified stay. @throws S3Error PreconditionFailed: it does not stand where it stood; StoreError: also when it
   * is unknown whether it was changed
   */
  changeClass(bucket: Bucket, view: ObjectView, request: ClassRequest, call: Call): Promise<ClassChange>;
  /**
   * Reads the heads of many keys as far as one or two listings show them, for callers that remove many (`listing`).
   */
  look(bucket: Bucket, keys: readonly string[], call: Call): Promise<HeadsByKey>;
  /** @throws S3Error PreconditionFailed, and what the guard throws */
  remove(target: ObjectTarget, request: RemoveRequest, call: Call): Promise<Removed>;
}

type ObjectsOptions = Pick<ObjectsContext, 'clock' | 'settler'> & Partial<ObjectsContext>;

function contextOf(options: ObjectsOptions): ObjectsContext {
  const { now = SYSTEM_TIME.now } = options;
  return {
    versioningDrainMs: VERSIONING_DRAIN_MS,
    now,
    commits: new CommitLife(),
    newKeys: new NewKeys(),
    memory: new HeadMemory(now, (name, task) => options.settler.later(name, task)),
    ...options,
  };
}

/** The source of a copy as this process saw it last, or as it was listed ahead of a client that copies key by key. */
function recallSource({ memory }: ObjectsContext, place: KeyRef): ObjectView | undefined {
  const recent = memory.recent(place);
  if (recent !== undefined && canBeCopied(place, recent.head)) return viewOf(recent.head, place);
  const { versioning, home } = place.bucket;
  if (versioning !== 'never' || !home.store.capabilities.pinsSources) return undefined;
  const next = memory.ahead(place, 'copies');
  return next !== undefined && canBeCopied(place, next.head) ? viewOf(next.head, place) : undefined;
}

/** What no request asks for is told as done by S3, for the bucket's owner. */
function byTheService({ bucket }: KeyRef, call: Call): Call {
  const owner = `AmazonCustomer:${bucket.ownerId}`;
  const service = { requester: THE_SERVICE, sourceAddress: THE_SERVICE, hostId: THE_SERVICE };
  return { ...call, occasion: { operation: 'RestoreObject', principalId: owner, ...service } };
}

export function createObjects(options: ObjectsOptions): Objects {
  const context = contextOf(options);
  const { settler } = context;
  const commit = <T>(place: KeyRef, call: Call, work: (own: Call) => Promise<T>): Promise<T> => {
    context.memory.forget(place);
    return context.commits.run(call, (own) =>
      work(own).catch((error: unknown) => {
        withdrawRefused(place, { error, own, settler });
        throw error;
      }),
    );
  };
  /** Called by reads that meet an object which a crash left unsettled: has it settled in the background. */
  const noticed = (bucket: Bucket, view: ObjectView): void => {
    if (view.head.kind === 'assembled' && canSettle(bucket, view.size)) {
      context.settler.schedule({ bucket, key: view.key });
    }
  };
  return {
    find: (target, call) =>
      findObject(context, target, call).then((view) => {
        noticed(target.bucket, view);
        return view;
      }),
    recall: (target) => recallSource(context, target),
    open: (target, request, call) =>
      openObject(context, target, request, call).then((opened) => {
        noticed(target.bucket, opened.view);
        return opened;
      }),
    openView: (bucket, view, request, call) => openView(bucket, view, request, call),
    put: ({ bucket, key }, request, call) =>
      commit({ bucket, key }, call, (own) => putObject(context, { bucket, key, request }, own)),
    publish: ({ bucket, key }, request, call) =>
      commit({ bucket, key }, call, (own) => publishObject(context, { bucket, key, request }, own)),
    describe: describeVersion,
    nextSeq: async (target, call) => {
      const { seq } = await placeHead(context, target, await readHead(target, call), call);
      return context.clock.next(seq);
    },
    copy: ({ bucket, key }, request, call) =>
      commit({ bucket, key }, call, (own) => copyObject(context, { bucket, key, request }, own)),
    amend: (target, amendment, call) => commit(target, call, (own) => amendObject(context, target, amendment, own)),
    restore: ({ bucket, key, versionId }, { guard, ...request }, call) =>
      commit({ bucket, key }, call, (own) => restoreObject(context, { bucket, key, versionId, request, guard }, own)),
    finishRestore: (target, view, call) => {
      if (!isRestoring(view.restore, context.now())) return Promise.resolve(view);
      return commit(target, byTheService(target, call), (own) => finishRestore(context, { ...target, view }, own));
    },
    endRestore: (target, view, call) =>
      commit(target, byTheService(target, call), (own) => endRestore(context, { ...target, view }, own)),
    changeClass: (bucket, view, request, call) =>
      commit({ bucket, key: view.key }, call, (own) => changeClass(context, { bucket, view, ...request }, own)),
    look: headsSideBySide,
    remove: (target, request, call) => commit(target, call, (own) => removeObject(context, target, request, own)),
  };
}
