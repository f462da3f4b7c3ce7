import { S3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import type { ContainerEntry } from '../../store/blob-store.ts';
import { CONTAINER_OF_OTHERS, StoreError, isStoreError } from '../../store/store-error.ts';
import { type Time, timeOf } from '../records/time.ts';
import type { BucketRecord } from '../records/bucket-record.ts';
import { keepNewest } from '../../observe/bounded-map.ts';
import { type NamedContainers, namedContainers } from './record-names.ts';
import { isNativeName, isPlacedUid, ownerMark, placedUid } from './container-names.ts';
import type { Backend, Realm } from './realm.ts';
import { awaitShared, beginShared } from './bucket-cache.ts';

/** How long a process relies on the proof of a container. Milliseconds. */
const PROVEN_MS = 5 * 60_000;
/** How long it relies on a list of the containers that records name. Milliseconds. */
const NAMED_MS = 60_000;
const MAX_PROVEN = 10_000;

/**
 * What a container proves about its bucket. `disputed`: it belongs to another bucket, or it is unknown to which.
 * `foreign`: it was removed, and another customer of the service has one of its name.
 */
type Proof = 'proven' | 'missing' | Unserved;
type Unserved = 'disputed' | 'foreign';

/** A bucket and what its record says. */
interface Claimant {
  readonly name: string;
  readonly record: Pick<BucketRecord, 'uid' | 'container' | 'owned'>;
}

/** Called when a container turns out not to belong to the bucket whose record names it. */
export type OnDisputed = (bucket: string, container: string, backend: string, why: Unserved) => void;

/** Whose containers are. */
export interface ContainerProof {
  /**
   * Makes sure that the container belongs to the bucket: it carries the bucket's uid, or it carries none and only this
   * bucket's record names it. (It carries none when other tools made it, a backup restored it, or the service keeps no
   * metadata.) The service is asked at most once in five minutes.
   * @throws S3Error NoSuchBucket (it is not there), InvalidBucketState (disputed); StoreError denied (foreign)
   */
  require(backend: Backend, claimant: Claimant, call: Call): Promise<void>;
  /** The same, but asks the service now. */
  look(backend: Backend, claimant: Claimant, call: Call): Promise<Proof>;
  /** The container of this name, if other tools made it and no bucket has it. */
  native(backend: Backend, name: string, call: Call): Promise<ContainerEntry | undefined>;
}

export function createContainerProof(
  realm: Pick<Realm, 'backends'>,
  onDisputed: OnDisputed = () => undefined,
): ContainerProof {
  const proven = new Map<string, number>();
  const namedBy = rememberedNames();
  const look: ContainerProof['look'] = async (backend, claimant, call) => {
    const proof = await judge(namedBy, backend, claimant, call);
    if (proof === 'disputed' || proof === 'foreign') {
      onDisputed(claimant.name, claimant.record.container, backend.name, proof);
    }
    return proof;
  };

  return {
    look,
    async require(backend, claimant, call) {
      const { name, record } = claimant;
      const key = `${backend.name}/${record.container}/${record.uid}`;
      const { monotonic } = timeOf(backend);
      const since = proven.get(key);
      if (since !== undefined && monotonic() - since < PROVEN_MS) return;
      const now = monotonic();
      const proof = await look(backend, claimant, call);
      if (proof === 'missing') throw new S3Error('NoSuchBucket', { extra: { BucketName: name } });
      if (proof === 'disputed') throw disputed(name);
      // What the service says to every other call that goes there.
      if (proof === 'foreign') throw new StoreError('denied', { call: 'headContainer', code: CONTAINER_OF_OTHERS });
      keepNewest(proven, key, now, MAX_PROVEN);
    },
    native: async (backend, name, call) =>
      isNativeName(realm, backend, name) ? nativeContainer(namedBy, backend, name, call) : undefined,
  };
}

async function judge(namedBy: NamedBy, backend: Backend, { name, record }: Claimant, call: Call): Promise<Proof> {
  let entry: ContainerEntry | undefined;
  try {
    entry = await backend.store.headContainer(record.container, call);
  } catch (error) {
    if (isStoreError(error, 'containerBusy') && error.detail.code === CONTAINER_OF_OTHERS) return 'foreign';
    if (isStoreError(error, 'containerNotFound', 'containerBusy')) return 'missing';
    // A credential that may not look at containers works with those that other tools made.
    if (!isStoreError(error, 'denied') || record.owned === true) throw error;
  }
  if (!isInItsPlace(backend, { name, record }, entry)) return 'disputed';
  if (entry?.owner !== undefined) return entry.owner === ownerMark(record.uid) ? 'proven' : 'disputed';
  return hasOther((await namedBy(backend, call)).get(record.container), name) ? 'disputed' : 'proven';
}

/**
 * Whether the configuration has left the bucket where it was. A part of a container has a uid that no other bucket has,
 * and a bucket whose name the configuration gives to such a part has no other container.
 */
function isInItsPlace({ places }: Backend, { name, record }: Claimant, entry: ContainerEntry | undefined): boolean {
  if (places?.has(name) === true && record.container !== name) return false;
  return entry?.place === undefined ? !isPlacedUid(record.uid) : placedUid(entry.place) === record.uid;
}

async function nativeContainer(
  namedBy: NamedBy,
  backend: Backend,
  name: string,
  call: Call,
): Promise<ContainerEntry | undefined> {
  let entry: ContainerEntry;
  try {
    entry = await backend.store.headContainer(name, call);
  } catch (error) {
    // Where all customers of the service share one namespace, a container may belong to another customer.
    if (isStoreError(error, 'containerNotFound', 'containerBusy')) return undefined;
    throw error;
  }
  if (entry.owner !== undefined) return undefined;
  return hasOther((await namedBy(backend, call)).get(name), name) ? undefined : entry;
}

/** Whether records of other buckets name a container, too. */
function hasOther(buckets: readonly string[] = [], name: string): boolean {
  return buckets.some((other) => other !== name);
}

function disputed(name: string): S3Error {
  return new S3Error('InvalidBucketState', {
    message:
      'The container of this bucket cannot be told to be its own. Its operator can find out why, and what to do.',
    extra: { BucketName: name },
  });
}

/**
 * The containers that the records of a backend name. They are read at most once a minute, by one request for all that
 * wait.
 */
type NamedBy = (backend: Backend, call: Call) => Promise<NamedContainers>;

function rememberedNames(): NamedBy {
  const known = new Map<Backend, { readonly names: Promise<NamedContainers>; readonly since: number }>();
  return (backend, call) => {
    const time: Time = timeOf(backend);
    const last = known.get(backend);
    if (last !== undefined && time.monotonic() - last.since < NAMED_MS) return awaitShared(last.names, call);
    const names = beginShared(time, call, (own) => namedContainers(backend, own));
    const entry = { names, since: time.monotonic() };
    known.set(backend, entry);
    names.catch(() => {
      if (known.get(backend) === entry) known.delete(backend);
    });
    return awaitShared(names, call);
  };
}
