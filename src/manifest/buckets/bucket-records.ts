import type { Call } from '../../observe/call.ts';
import {
  ABSENT,
  type BlobRef,
  type Condition,
  type ContainerEntry,
  type Revision,
  at,
} from '../../store/blob-store.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import { readAll } from '../../streams/bytes.ts';
import { together } from '../../streams/map-concurrent.ts';
import { type BucketRecord, decodeBucketRecord, encodeBucketRecord } from '../records/bucket-record.ts';
import { SYSTEM_MARK, placedUid } from './container-names.ts';
import type { ContainerProof } from './container-proof.ts';
import type { Backend, Realm } from './realm.ts';
import { namedRecord, placeContainer, placeRecord } from './record-names.ts';

/** How often one change of a record is sent while its answers get lost. After that its outcome counts as unknown. */
const MAX_SENDS = 3;

/** A record as it was read. */
export interface StoredBucket {
  readonly record: BucketRecord;
  /** Absent: a container without a record. */
  readonly revision?: Revision;
  /** When the record was last written, by the clock of the service; milliseconds since the epoch. */
  readonly lastModified?: number;
}

/** One change of a record. */
export interface RecordSwap {
  readonly record: BucketRecord;
  /** What was read; undefined: there was no record. */
  readonly from: Revision | undefined;
  /** After a lost answer: whether the record that is there now was written by this change. */
  readonly isOurs: (record: BucketRecord) => boolean;
}

/** Bucket records in their backends, whatever their state. */
export interface BucketRecords {
  /**
   * The record in whatever state it is, or a substitute when native tools made the container. Undefined: no such
   * bucket.
   */
  find(name: string, call: Call): Promise<StoredBucket | undefined>;
  /** Makes the backend's system container if this is the first record. @throws StoreError conditionFailed */
  write(name: string, record: BucketRecord, condition: Condition, call: Call): Promise<Revision>;
  /**
   * Writes a record over the one that was read, and finds out what became of it when the answer gets lost.
   * @returns undefined when another request was faster. @throws StoreError unavailable (lost): unknown
   */
  swap(name: string, change: RecordSwap, call: Call): Promise<Revision | undefined>;
  remove(name: string, revision: Revision, call: Call): Promise<void>;
}

export function createBucketRecords(realm: Realm, proof: ContainerProof): BucketRecords {
  const native = withSystemContainer(proof);

  const find: BucketRecords['find'] = async (name, call) => {
    const backend = realm.backendOf(name);
    const place = backend.places?.get(name);
    const stored =
      place === undefined
        ? await readRecord(backend, namedRecord(name), call)
        : await findPlaced(backend, { name, place }, call);
    if (stored !== undefined) return stored;
    const container = await native(backend, name, call);
    return container && { record: nativeBucketRecord(backend, container) };
  };

  const write: BucketRecords['write'] = (name, record, condition, call) =>
    writeRecord(realm.backendOf(name), { name, record, condition }, call);

  return {
    find,
    write,
    swap: (name, change, call) => swapRecord({ find, write }, name, change, call),
    remove: (name, revision, call) => {
      const { store, systemContainer } = realm.backendOf(name);
      return store.remove({ container: systemContainer, name: namedRecord(name) }, revision, call);
    },
  };
}

/**
 * Finds the record of a part of a container. If a bucket with a container has this name, its record is returned
 * instead, and the proof of its container finds it disputed.
 */
async function findPlaced(
  backend: Backend,
  { name, place }: { readonly name: string; readonly place: string },
  call: Call,
): Promise<StoredBucket | undefined> {
  const [named, own] = await together(
    () => readRecord(backend, namedRecord(name), call),
    () => readRecord(backend, placeRecord(place), call),
  );
  return named ?? (own && { ...own, record: { ...own.record, container: name } });
}

async function readRecord(
  { store, systemContainer }: Backend,
  name: string,
  call: Call,
): Promise<StoredBucket | undefined> {
  try {
    const { properties, body } = await store.read({ container: systemContainer, name }, {}, call);
    const { revision, lastModified } = properties;
    return { record: decodeBucketRecord(await readAll(body)), revision, lastModified };
  } catch (error) {
    if (isStoreError(error, 'notFound', 'containerNotFound')) return undefined;
    throw error;
  }
}

interface RecordWrite {
  /** Of the bucket. */
  readonly name: string;
  readonly record: BucketRecord;
  readonly condition: Condition;
}

async function writeRecord(backend: Backend, { name, record, condition }: RecordWrite, call: Call): Promise<Revision> {
  const place = backend.places?.get(name);
  const isPlace = place !== undefined;
  const { body, metadata } = encodeBucketRecord(isPlace ? { ...record, container: placeContainer(place) } : record);
  const ref: BlobRef = {
    container: backend.systemContainer,
    name: isPlace ? placeRecord(place) : namedRecord(name),
  };
  const request = { headers: { contentType: 'application/json' }, metadata, condition };
  try {
    return (await backend.store.write(ref, body, request, call)).revision;
  } catch (error) {
    if (!isStoreError(error, 'containerNotFound')) throw error;
    await ensureSystemContainer(backend, call);
    return (await backend.store.write(ref, body, request, call)).revision;
  }
}

async function swapRecord(
  { find, write }: Pick<BucketRecords, 'find' | 'write'>,
  name: string,
  { record, from, isOurs }: RecordSwap,
  call: Call,
): Promise<Revision | undefined> {
  const condition = from === undefined ? ABSENT : at(from);
  let cause: unknown;
  for (let send = 1; send <= MAX_SENDS; send += 1) {
    try {
      return await write(name, record, condition, call);
    } catch (error) {
      if (!isStoreError(error) || !(error.kind === 'conditionFailed' || error.lost)) throw error;
      cause = error;
    }
    const stored = await find(name, call);
    if (stored?.revision !== undefined && isOurs(stored.record)) return stored.revision;
    // The record has moved on from what was read, so the change that was sent can no longer land.
    if (stored?.revision !== from) return undefined;
  }
  throw new StoreError('unavailable', { call: 'write', code: 'OutcomeUnknown', lost: true, cause });
}

/**
 * Looks for a container without a record. Once for each backend it also makes the system container, which the uploads
 * of such a bucket need and which is otherwise made with the first record. If it cannot be made, only what needs it
 * fails.
 */
function withSystemContainer(proof: ContainerProof): ContainerProof['native'] {
  const there = new Set<Backend>();
  return async (backend, name, call) => {
    const container = await proof.native(backend, name, call);
    if (container === undefined || there.has(backend)) return container;
    try {
      await ensureSystemContainer(backend, call);
    } catch (error) {
      if (!isStoreError(error, 'denied')) return container;
    }
    there.add(backend);
    return container;
  };
}

/** Its mark tells other gateways on this account that this container is no bucket. */
export async function ensureSystemContainer(
  { store, systemContainer }: Pick<Backend, 'store' | 'systemContainer'>,
  call: Call,
): Promise<void> {
  try {
    await store.createContainer(systemContainer, { owner: SYSTEM_MARK }, call);
  } catch (error) {
    if (!isStoreError(error, 'containerExists')) throw error;
  }
}

/**
 * Stands in for the record that a container made by native tools does not have. Such a bucket belongs to the backend's
 * owner and was never versioned.
 */
export function nativeBucketRecord({ ownerId }: Backend, entry: ContainerEntry): BucketRecord {
  return {
    uid: nativeUid(entry),
    owner: ownerId,
    createdAt: entry.lastModified,
    container: entry.name,
    versioning: 'never',
    settings: {},
  };
}

/**
 * The uid of a part of a container is made of where the part lies, not of the bucket's name: what belongs to one part
 * is never taken for another's.
 */
export function nativeUid({ name, place }: Pick<ContainerEntry, 'name' | 'place'>): string {
  return place === undefined ? `native.${name}` : placedUid(place);
}
