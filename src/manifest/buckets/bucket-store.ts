import { S3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import { timeOf } from '../records/time.ts';
import type { Bucket } from '../records/bucket.ts';
import type { BucketRecord } from '../records/bucket-record.ts';
import { type BucketRecords, createBucketRecords, type StoredBucket } from './bucket-records.ts';
import { type ContainerProof, createContainerProof, type OnDisputed } from './container-proof.ts';
import type { Backend, Realm } from './realm.ts';
import type { Revision } from '../../store/blob-store.ts';
import { keepNewest } from '../../observe/bounded-map.ts';

export type { RecordSwap, StoredBucket } from './bucket-records.ts';

/** Bucket records in their backends; no cache. */
export interface BucketStore extends BucketRecords {
  readonly realm: Realm;
  readonly proof: ContainerProof;
  /** @throws as `findLive` */
  read(name: string, call: Call): Promise<Bucket>;
  /**
   * The record of a live bucket whose container is proven to be its own. Takes away a delete mark that is older than
   * any DeleteBucket can take. @throws S3Error NoSuchBucket, OperationAborted (being deleted), InvalidBucketState (it
   * is unclear whose its container is)
   */
  findLive(name: string, call: Call): Promise<StoredBucket>;
  /** As `read`, but a bucket under a delete mark is found as well. @throws S3Error NoSuchBucket, InvalidBucketState */
  readMarked(name: string, call: Call): Promise<Bucket>;
}

export function createBucketStore(realm: Realm, onDisputed?: OnDisputed): BucketStore {
  const proof = createContainerProof(realm, onDisputed);
  const records = createBucketRecords(realm, proof);
  const revive = createRevival(realm, records);

  const findLive: BucketStore['findLive'] = async (name, call) => {
    let stored = await records.find(name, call);
    if (stored?.record.state?.kind === 'deleting') {
      stored = await revive(name, stored, call);
      if (stored === undefined) throw new S3Error('OperationAborted');
    }
    if (stored === undefined || stored.record.state !== undefined) throw noSuchBucket(name);
    return proven(name, stored, call);
  };
  const proven = async (name: string, stored: StoredBucket, call: Call): Promise<StoredBucket> => {
    if (stored.revision !== undefined) {
      await proof.require(realm.backendOf(name), { name, record: stored.record }, call);
    }
    return stored;
  };

  return {
    ...records,
    realm,
    proof,
    findLive,
    read: async (name, call) => toBucket(realm.backendOf(name), name, await findLive(name, call)),
    async readMarked(name, call) {
      const stored = await records.find(name, call);
      const { kind } = stored?.record.state ?? {};
      if (stored === undefined || kind === 'claimed' || kind === 'deleted') throw noSuchBucket(name);
      const bucket = toBucket(realm.backendOf(name), name, await proven(name, stored, call));
      return kind === 'deleting' ? { ...bucket, isMarked: true } : bucket;
    },
  };
}

/**
 * Takes away the delete mark of a DeleteBucket whose process died.
 * @returns undefined while the mark may be that of a DeleteBucket under way, and when another request was faster
 */
type Revive = (name: string, stored: StoredBucket, call: Call) => Promise<StoredBucket | undefined>;

function createRevival(realm: Realm, records: BucketRecords): Revive {
  const marks = createMarksSeen();
  return async (name, { record: { state, ...record }, revision }, call) => {
    const time = timeOf(realm.backendOf(name));
    if (state?.kind !== 'deleting' || revision === undefined) return undefined;
    if (!marks.isOld(name, revision, time.monotonic())) return undefined;
    const isOurs = (found: BucketRecord): boolean => found.uid === record.uid && found.state === undefined;
    const revived = await records.swap(name, { record, from: revision, isOurs }, call);
    return revived && { record, revision: revived };
  };
}

function noSuchBucket(name: string): S3Error {
  return new S3Error('NoSuchBucket', { extra: { BucketName: name } });
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
      ...(backend.kmsKeys !== undefined && { kmsKeys: backend.kmsKeys }),
      ...(backend.classes !== undefined && { classes: backend.classes }),
    },
    ...(record.versionedSince !== undefined && { versionedSince: record.versionedSince }),
    ...(record.settings.acl !== undefined && { acl: record.settings.acl }),
    ...(revision !== undefined && { recordRevision: revision }),
  };
}

/**
 * When a process has met the same mark for so long, it takes the DeleteBucket for dead and removes the mark.
 * Milliseconds.
 */
const OLD_MS = 60_000;
const MAX_MARKS = 1000;

/**
 * The delete marks that this process has met, and since when. They keep a bucket whose DeleteBucket died from staying
 * closed for ever. Nothing else depends on these times, because a DeleteBucket whose mark is gone removes nothing. They
 * are measured by this process alone, so no other machine's clock changes them.
 */
interface MarksSeen {
  /** @param now monotonic milliseconds */
  isOld(bucket: string, mark: Revision, now: number): boolean;
}

function createMarksSeen(): MarksSeen {
  const seen = new Map<string, { readonly mark: Revision; readonly since: number }>();
  return {
    isOld(bucket, mark, now) {
      const known = seen.get(bucket);
      if (known?.mark === mark) return now - known.since >= OLD_MS;
      keepNewest(seen, bucket, { mark, since: now }, MAX_MARKS);
      return false;
    },
  };
}
