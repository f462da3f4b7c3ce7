import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { S3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import type { Revision } from '../../store/blob-store.ts';
import { isSameAcl } from '../records/acl-code.ts';
import { timeOf } from '../records/time.ts';
import type { BucketSettings } from '../records/bucket.ts';
import type { BucketRecord } from '../records/bucket-record.ts';
import { removeLeftContainer } from './bucket-remains.ts';
import type { BucketStore, StoredBucket } from './bucket-store.ts';
import { containerNameOf, freshContainerName, ownerMark } from './container-names.ts';
import { AGAIN, inTurns, TURNS } from '../records/turns.ts';
import { isStoreError, StoreError } from '../../store/store-error.ts';
import type { Backend } from './realm.ts';

export interface CreateBucketRequest {
  readonly name: string;
  readonly ownerId: string;
  /** What the client asks for. Object lock makes the bucket versioned from its first moment. */
  readonly settings?: Pick<BucketSettings, 'acl' | 'ownership' | 'objectLock' | 'tags'>;
  /** What new buckets have where the client does not say. */
  readonly defaults?: BucketSettings;
}

/** Whether the bucket is new; undefined: something has changed, look again. */
type Outcome = boolean | undefined;

/**
 * The record is written first: it decides who owns the name, and says that the bucket has no container yet (`claimed`).
 * The container is made for this bucket alone, or another one is; then the bucket lives. Whoever creates it again goes
 * on from wherever it was left.
 * @returns whether the bucket is new. @throws S3Error BucketAlreadyExists, OperationAborted
 */
export async function createBucket(store: BucketStore, request: CreateBucketRequest, call: Call): Promise<boolean> {
  return inTurns(TURNS.bucketCreation, async () => {
    const stored = await store.find(request.name, call);
    return (await goOn(store, { request, stored }, call)) ?? AGAIN;
  });
}

interface Step {
  readonly request: CreateBucketRequest;
  readonly stored: StoredBucket | undefined;
}

async function goOn(store: BucketStore, { request, stored }: Step, call: Call): Promise<Outcome> {
  if (stored === undefined) return claim(store, { request, from: undefined }, call);
  const { record, revision: from } = stored;
  if (record.state?.kind === 'deleted') {
    // Nothing may forget the container of a bucket that was deleted before it is gone.
    await removeLeftContainer(store, { name: request.name, stored }, call);
    return claim(store, { request, from }, call);
  }
  requireOwn(record, request);
  switch (record.state?.kind) {
    case 'deleting':
      await swapState(store, { name: request.name, record, from }, call);
      return undefined;
    case 'claimed':
      return goOnWithClaim(store, { request, stored }, call);
    default:
      return keepAlive(store, { request, stored }, call);
  }
}

/** @throws S3Error OperationAborted, BucketAlreadyExists */
function requireOwn(
  { owner, state, settings }: BucketRecord,
  { name, ownerId, settings: asked }: CreateBucketRequest,
): void {
  if (state?.kind === 'deleting' && owner !== ownerId) throw new S3Error('OperationAborted');
  if (owner === ownerId && (state?.kind === 'claimed' || isAsAsked(settings, asked))) return;
  throw new S3Error('BucketAlreadyExists', { extra: { BucketName: name } });
}

/** Neither may creating it again change who has access, nor may it look as if it had (docs/deviations.md). */
function isAsAsked(settings: BucketSettings, asked: CreateBucketRequest['settings'] = {}): boolean {
  return (
    isSameAcl(settings.acl, asked.acl) &&
    (asked.ownership === undefined || asked.ownership === settings.ownership) &&
    (asked.objectLock === undefined || settings.objectLock !== undefined)
  );
}

/**
 * Takes the name. Only the first bucket of a name has the container of that name: what is still on its way to an
 * earlier one must not find this one.
 */
async function claim(
  store: BucketStore,
  { request, from }: { request: CreateBucketRequest; from: Revision | undefined },
  call: Call,
): Promise<Outcome> {
  const { name, ownerId, settings: asked, defaults } = request;
  const backend = store.realm.backendOf(name);
  const settings: BucketSettings = { ...defaults, ...asked };
  const record: BucketRecord = {
    uid: randomUUID(),
    owner: ownerId,
    createdAt: timeOf(backend).now(),
    container: from === undefined ? containerNameOf(store.realm, backend, name) : freshContainerName(backend, name),
    versioning: settings.objectLock === undefined ? 'never' : 'enabled',
    settings,
    state: { kind: 'claimed' },
  };
  const revision = await store.swap(name, { record, from, isOurs: ({ uid }) => uid === record.uid }, call);
  return revision && provide(store, { name, record, revision }, call);
}

/**
 * Of a CreateBucket that is under way or died. It has answered no client, so its settings are what is asked for now.
 */
async function goOnWithClaim(
  store: BucketStore,
  { request, stored }: Step & { stored: StoredBucket },
  call: Call,
): Promise<Outcome> {
  const { record, revision: from } = stored;
  const { name, settings: asked, defaults } = request;
  if (from === undefined) return undefined;
  if (isAsAsked(record.settings, asked) && isDeepStrictEqual(record.settings.tags, asked?.tags)) {
    return provide(store, { name, record, revision: from }, call);
  }
  const settings: BucketSettings = { ...defaults, ...asked };
  const changed: BucketRecord = {
    ...record,
    settings,
    versioning: settings.objectLock === undefined ? 'never' : 'enabled',
  };
  await store.swap(name, { record: changed, from, isOurs: ({ uid }) => uid === record.uid }, call);
  return undefined;
}

/** A bucket that its owner has already; one whose container was removed gets it again. */
async function keepAlive(
  store: BucketStore,
  { request, stored }: Step & { stored: StoredBucket },
  call: Call,
): Promise<Outcome> {
  const { name } = request;
  const { record, revision } = stored;
  const backend = store.realm.backendOf(name);
  if (revision === undefined) return false;
  const proof = await store.proof.look(backend, { name, record }, call);
  if (proof !== 'missing' && proof !== 'foreign') {
    await store.proof.require(backend, { name, record }, call);
    return false;
  }
  return (await provide(store, { name, record, revision }, call)) === undefined ? undefined : false;
}

interface Provision {
  readonly name: string;
  readonly record: BucketRecord;
  readonly revision: Revision;
}

/** Gives the bucket a container of its own, under another name when this one is taken, and lets it live. */
async function provide(store: BucketStore, { name, record, revision }: Provision, call: Call): Promise<Outcome> {
  const backend = store.realm.backendOf(name);
  const made: Made = await makeContainer(backend, record, call);
  if (made === 'taken') {
    const renamed = { ...record, container: freshContainerName(backend, name) };
    await store.swap(
      name,
      { record: renamed, from: revision, isOurs: ({ container }) => container === renamed.container },
      call,
    );
    return undefined;
  }
  if (record.state === undefined) return true;
  return (await swapState(
    store,
    { name, record: { ...record, ...(made === 'marked' && { owned: true }) }, from: revision },
    call,
  ))
    ? true
    : undefined;
}

interface Unsettled {
  readonly name: string;
  readonly record: BucketRecord;
  readonly from: Revision | undefined;
}

/** Lets the bucket live. @returns false when another request was faster */
async function swapState(store: BucketStore, { name, record, from }: Unsettled, call: Call): Promise<boolean> {
  const { state: _state, ...live } = record;
  const isOurs = (found: BucketRecord): boolean =>
    found.uid === live.uid && found.container === live.container && found.state === undefined;
  return (await store.swap(name, { record: live, from, isOurs }, call)) !== undefined;
}

/** How often one creation is sent while its answers get lost. */
const MAX_SENDS = 3;

/**
 * `marked`: the container belongs to the bucket and says so. `unmarked`: it was made for the bucket by a service that
 * keeps no marks. `taken`: it belongs to another bucket or customer.
 */
type Made = 'marked' | 'unmarked' | 'taken';

/**
 * Makes a container for one bucket alone. A container that exists already counts only if it carries the bucket's uid.
 * It was then made for the same bucket: by a call whose answer was lost, or by another CreateBucket, dead or still
 * running.
 * @throws StoreError
 */
async function makeContainer(
  { store }: Backend,
  { uid, container }: Pick<BucketRecord, 'uid' | 'container'>,
  call: Call,
): Promise<Made> {
  const mark = ownerMark(uid);
  let cause: unknown;
  for (let send = 1; send <= MAX_SENDS; send += 1) {
    try {
      const { owner } = await store.createContainer(container, { owner: mark }, call);
      return owner === mark ? 'marked' : 'unmarked';
    } catch (error) {
      if (isStoreError(error, 'containerBusy')) return 'taken';
      if (!isStoreError(error) || !(error.kind === 'containerExists' || error.lost)) throw error;
      cause = error;
    }
    try {
      return (await store.headContainer(container, call)).owner === mark ? 'marked' : 'taken';
    } catch (error) {
      if (isStoreError(error, 'containerBusy')) return 'taken';
      // The container does not exist: it never did, or has been removed since.
      if (!isStoreError(error, 'containerNotFound')) throw error;
    }
  }
  throw new StoreError('throttled', { call: 'createContainer', code: 'Contention', cause });
}
