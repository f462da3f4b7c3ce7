import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { S3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import { ABSENT, type Revision, at } from '../../store/blob-store.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import type { Bucket, BucketSettings } from './bucket.ts';
import type { BucketRecord } from './bucket-record.ts';
import { type BucketStore, ensureContainer } from './bucket-store.ts';
import { isSameAcl } from '../records/acl-code.ts';
import { timeOf } from '../records/time.ts';
import type { Backend } from './realm.ts';

/** Container names tried when the one a bucket should have is still being deleted by the service, or somebody else's. */
const MAX_NAMES = 4;

export interface CreateBucketRequest {
  readonly name: string;
  readonly ownerId: string;
  /** What the client asks for. Object lock makes the bucket versioned from its first moment. */
  readonly settings?: Pick<BucketSettings, 'acl' | 'ownership' | 'objectLock'>;
  /** What new buckets have where the client does not say. */
  readonly defaults?: BucketSettings;
}

/**
 * The record is written first (it decides who owns the name), the container follows; creating again
 * repairs a crash between the two. @returns whether the bucket is new
 */
export async function createBucket(store: BucketStore, request: CreateBucketRequest, call: Call): Promise<boolean> {
  const { name, ownerId, settings: asked, defaults } = request;
  const backend = store.realm.backendOf(name);
  const existing = await store.find(name, call);
  if (existing !== undefined) {
    if (existing.record.deletingSince !== undefined) throw new S3Error('OperationAborted');
    if (existing.record.owner !== ownerId || !isAsAsked(existing.record.settings, asked)) throw new S3Error('BucketAlreadyExists', { extra: { BucketName: name } });
    await ensureContainer(backend.store, existing.record.container, call);
    return false;
  }
  const container = containerNameOf(backend, name);
  const settings: BucketSettings = { ...defaults, ...asked };
  const versioning = settings.objectLock === undefined ? 'never' : 'enabled';
  const record: BucketRecord = { uid: randomUUID(), owner: ownerId, createdAt: timeOf(backend).now(), container, versioning, settings };
  const revision = await claim(store, { name, record }, call);
  if (revision === undefined) return createBucket(store, request, call);
  await createContainer(store, { name, backend, record, revision }, call);
  return true;
}

/** Neither may creating it again change who has access, nor may it look as if it had (docs/deviations.md). */
function isAsAsked(settings: BucketSettings, asked: CreateBucketRequest['settings'] = {}): boolean {
  return isSameAcl(settings.acl, asked.acl)
    && (asked.ownership === undefined || asked.ownership === settings.ownership)
    && (asked.objectLock === undefined || settings.objectLock !== undefined);
}

interface Claim {
  readonly backend: Backend;
  readonly name: string;
  readonly record: BucketRecord;
}

/** @returns undefined when somebody else was faster */
async function claim(store: BucketStore, { name, record }: Omit<Claim, 'backend'>, call: Call): Promise<Revision | undefined> {
  try {
    return await store.write(name, record, ABSENT, call);
  } catch (error) {
    if (isStoreError(error, 'conditionFailed')) return undefined;
    throw error;
  }
}

async function createContainer(store: BucketStore, claimed: Claim & { readonly revision: Revision }, call: Call): Promise<void> {
  const { backend, name } = claimed;
  let { record, revision } = claimed;
  for (let tries = 1; ; tries++) {
    try {
      await ensureContainer(backend.store, record.container, call);
      return;
    } catch (error) {
      if (!isStoreError(error, 'containerBusy')) throw error;
      if (tries === MAX_NAMES) throw new StoreError('throttled', { call: 'createContainer', cause: error });
      record = { ...record, container: nameEndingIn(randomBytes(4).toString('hex'), backend, name) };
      revision = await store.write(name, record, at(revision), call);
    }
  }
}

/** The bucket's own name where the service can hold it; else a legal one that still shows which bucket it is. */
export function containerNameOf(backend: Backend, bucket: string): string {
  const legal = backend.store.capabilities.containerName.test(bucket) && bucket !== backend.systemContainer;
  if (legal) return bucket;
  return nameEndingIn(createHash('sha256').update(bucket).digest('hex').slice(0, 12), backend, bucket);
}

/** A legal name that still shows which bucket it is. */
export function nameEndingIn(suffix: string, { store }: Backend, bucket: string): string {
  const readable = bucket.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
  // A prefix of the backend's leaves less room, and some words are not allowed.
  const names = [62 - suffix.length, 30, 10].map((length) => `${readable.slice(0, length)}-${suffix}`);
  return names.find((name) => store.capabilities.containerName.test(name)) ?? `bucket-${suffix}`;
}

export interface DeleteBucketRequest {
  readonly bucket: Bucket;
  readonly isEmpty: () => Promise<boolean>;
  /** Resolves when no replica can still act on a record it cached before now. */
  readonly othersHaveForgotten: () => Promise<void>;
  readonly now: () => number;
}

/**
 * The services delete a container with everything in it, so emptiness is ours to prove: mark the
 * record (every replica refuses writes once it has seen the mark), wait until all have, look again.
 */
export async function deleteBucket(store: BucketStore, request: DeleteBucketRequest, call: Call): Promise<void> {
  const { bucket, isEmpty } = request;
  const { name } = bucket;
  const notEmpty = (): S3Error => new S3Error('BucketNotEmpty', { extra: { BucketName: name } });
  if (!(await isEmpty())) throw notEmpty();
  const stored = await store.find(name, call);
  if (stored?.record.uid !== bucket.uid) throw new S3Error('NoSuchBucket', { extra: { BucketName: name } });

  const condition = stored.revision === undefined ? ABSENT : at(stored.revision);
  const revision = await mark(store, name, { record: { ...stored.record, deletingSince: request.now() }, condition }, call);
  await request.othersHaveForgotten();
  if (!(await isEmpty())) {
    const { deletingSince: _since, ...record } = stored.record;
    await store.write(name, record, at(revision), call);
    throw notEmpty();
  }
  try {
    await bucket.home.store.removeContainer(bucket.home.container, call);
  } catch (error) {
    if (!isStoreError(error, 'containerNotFound')) throw error;
  }
  await store.remove(name, revision, call);
}

async function mark(
  store: BucketStore,
  name: string,
  marked: { record: BucketRecord; condition: Parameters<BucketStore['write']>[2] },
  call: Call,
): Promise<Revision> {
  try {
    return await store.write(name, marked.record, marked.condition, call);
  } catch (error) {
    if (isStoreError(error, 'conditionFailed')) throw new S3Error('OperationAborted', { cause: error });
    throw error;
  }
}
