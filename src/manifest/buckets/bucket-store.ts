import { S3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import type { BlobRef, BlobStore, Condition, ContainerEntry, Revision } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import { readAll } from '../../streams/read-all.ts';
import type { Bucket } from './bucket.ts';
import { type BucketRecord, decodeBucketRecord, encodeBucketRecord } from './bucket-record.ts';
import type { Backend, Realm } from './realm.ts';

/** A delete that has not ended by now has crashed: the bucket lives on. Deleting itself gives up earlier. */
export const DELETE_TIMEOUT_MS = 60_000;

/** A record as it was read. */
export interface StoredBucket {
  readonly record: BucketRecord;
  /** Absent: a container without a record. */
  readonly revision?: Revision;
}

/** Bucket records in their backends; no cache. */
export interface BucketStore {
  readonly realm: Realm;
  /** @throws S3Error NoSuchBucket, OperationAborted */
  read(name: string, call: Call): Promise<Bucket>;
  /** What `read` makes a bucket of. @throws as `read` */
  findLive(name: string, call: Call): Promise<StoredBucket>;
  /** Record, or what stands for it when native tools made the container; undefined: no such bucket. */
  find(name: string, call: Call): Promise<StoredBucket | undefined>;
  /** Makes the backend's system container if this is the first record. @throws StoreError conditionFailed */
  write(name: string, record: BucketRecord, condition: Condition, call: Call): Promise<Revision>;
  remove(name: string, revision: Revision, call: Call): Promise<void>;
}

export function createBucketStore(realm: Realm, now: () => number): BucketStore {
  const recordRef = (name: string): BlobRef => ({ container: realm.backendOf(name).systemContainer, name: `b/${name}` });

  const find = async (name: string, call: Call): Promise<StoredBucket | undefined> => {
    const backend = realm.backendOf(name);
    try {
      const { properties, body } = await backend.store.read(recordRef(name), {}, call);
      return { record: decodeBucketRecord(await readAll(body)), revision: properties.revision };
    } catch (error) {
      if (!isStoreError(error, 'notFound', 'containerNotFound')) throw error;
      return nativeContainer(backend, name, call);
    }
  };

  const findLive = async (name: string, call: Call): Promise<StoredBucket> => {
    const stored = await find(name, call);
    if (stored === undefined) throw new S3Error('NoSuchBucket', { extra: { BucketName: name } });
    const { deletingSince } = stored.record;
    if (deletingSince !== undefined && now() - deletingSince < DELETE_TIMEOUT_MS) throw new S3Error('OperationAborted');
    return stored;
  };

  return {
    realm,
    find,
    findLive,
    read: async (name, call) => toBucket(realm.backendOf(name), name, await findLive(name, call)),
    async write(name, record, condition, call) {
      const { body, metadata } = encodeBucketRecord(record);
      const { store, systemContainer } = realm.backendOf(name);
      const request = { headers: { contentType: 'application/json' }, metadata, condition };
      try {
        return (await store.write(recordRef(name), body, request, call)).revision;
      } catch (error) {
        if (!isStoreError(error, 'containerNotFound')) throw error;
        await ensureContainer(store, systemContainer, call);
        return (await store.write(recordRef(name), body, request, call)).revision;
      }
    },
    remove: (name, revision, call) => realm.backendOf(name).store.remove(recordRef(name), revision, call),
  };
}

export async function ensureContainer(store: BlobStore, container: string, call: Call): Promise<void> {
  try {
    await store.createContainer(container, {}, call);
  } catch (error) {
    if (!isStoreError(error, 'containerExists')) throw error;
  }
}

export function toBucket(backend: Backend, name: string, { record, revision }: StoredBucket): Bucket {
  return {
    name,
    uid: record.uid,
    ownerId: record.owner,
    createdAt: record.createdAt,
    versioning: record.versioning,
    settings: record.settings,
    home: {
      backend: backend.name,
      store: backend.store,
      container: record.container,
      system: backend.systemContainer,
      ...(backend.queue !== undefined && { queue: backend.queue }),
      ...(backend.time !== undefined && { time: backend.time }),
    },
    ...(record.versionedSince !== undefined && { versionedSince: record.versionedSince }),
    ...(record.settings.acl !== undefined && { acl: record.settings.acl }),
    ...(revision !== undefined && { recordRevision: revision }),
  };
}

/** A container that native tools made is a bucket of the backend's owner, never versioned. */
async function nativeContainer(backend: Backend, name: string, call: Call): Promise<StoredBucket | undefined> {
  if (name === backend.systemContainer || !backend.store.capabilities.containerName.test(name)) return undefined;
  try {
    const container = await backend.store.headContainer(name, call);
    return { record: nativeBucketRecord(backend, container) };
  } catch (error) {
    // Where names are everybody's, somebody else's container is none of ours.
    if (isStoreError(error, 'containerNotFound', 'containerBusy')) return undefined;
    throw error;
  }
}

/** What stands for the record that such a container does not have. */
export function nativeBucketRecord({ ownerId }: Backend, { name, lastModified }: ContainerEntry): BucketRecord {
  return { uid: nativeUid(name), owner: ownerId, createdAt: lastModified, container: name, versioning: 'never', settings: {} };
}

export function nativeUid(container: string): string {
  return `native.${container}`;
}
