import type { Call } from '../../observe/call.ts';
import type { ContainerEntry } from '../../store/blob-store.ts';
import { blobsOf, pagesOf } from '../../store/pages.ts';
import { isStoreError } from '../../store/store-error.ts';
import { mapConcurrent } from '../../streams/map-concurrent.ts';
import { type Head, parseListedHead } from '../heads/head.ts';
import type { Bucket } from '../records/bucket.ts';
import { keyOfHead } from '../records/names.ts';
import { redo } from '../versions/displace.ts';
import { type BucketStore, type StoredBucket, toBucket } from './bucket-store.ts';
import { ownerMark } from './container-names.ts';

/** Keys whose logs are worked on at the same time. */
const CONCURRENCY = 16;

/** What became of a deleted bucket's container. `left`: it stays, because blobs came after it had been found empty. */
type Remains = 'gone' | 'left';

/**
 * Removes the container of a deleted bucket when the DeleteBucket itself did not: its process died first, or the answer
 * to the removal was lost. Any process may do this, at any time and more than once, because a container's name is not
 * given again while a request for it may still be under way. What tools of the cloud have stored there since is not
 * removed.
 */
export async function removeLeftContainer(
  store: BucketStore,
  { name, stored }: { name: string; stored: StoredBucket },
  call: Call,
): Promise<Remains> {
  const { record, lastModified = 0 } = stored;
  const backend = store.realm.backendOf(name);
  if (record.state?.kind !== 'deleted' || record.state.isGone === true) return 'gone';
  const home = { store: backend.store, container: record.container };
  let entry: ContainerEntry;
  try {
    entry = await home.store.headContainer(home.container, call);
  } catch (error) {
    if (isStoreError(error, 'containerNotFound', 'containerBusy')) return 'gone';
    throw error;
  }
  // Since then the configuration has given the name to a part of a container.
  if (entry.place !== undefined) return 'gone';
  // A tool may have made a container without a mark after the deletion.
  const isOurs =
    entry.owner === undefined
      ? record.owned !== true && entry.lastModified <= lastModified
      : entry.owner === ownerMark(record.uid);
  if (!isOurs) return 'gone';
  if (!(await removeLeftovers(toBucket(backend, name, stored), call))) return 'left';
  try {
    await home.store.removeContainer(home.container, call);
  } catch (error) {
    if (isStoreError(error, 'containerNotEmpty')) return 'left';
    if (!isStoreError(error, 'containerNotFound', 'containerBusy')) throw error;
  }
  return 'gone';
}

/**
 * Removes the heads of deleted keys from a container, each at the revision that was looked at. A container that another
 * request removes meanwhile counts as empty. If a removal is not answered, its outcome is unknown; the caller then asks
 * the service whether the container is empty.
 * @returns whether there was nothing else
 */
export async function removeLeftovers(bucket: Bucket, call: Call): Promise<boolean> {
  try {
    return await removeVoids(bucket, call);
  } catch (error) {
    if (isStoreError(error, 'containerNotFound', 'containerBusy')) return true;
    throw error;
  }
}

/**
 * The log of a void comes first. A bucket may be brought back after this, and what the log names would be back with it:
 * without a head nothing says any more that it was deleted.
 */
async function removeVoids(bucket: Bucket, call: Call): Promise<boolean> {
  const { store, container } = bucket.home;
  for await (const page of pagesOf(store, container, {}, call)) {
    const blobs = blobsOf(page);
    const voids = blobs.flatMap(
      (blob) => keyedVoid(bucket, parseListedHead({ container, name: blob.name }, blob)) ?? [],
    );
    if (voids.length < blobs.length) return false;
    await mapConcurrent(voids, CONCURRENCY, ({ key, head }) => redo({ bucket, key }, head, call));
    const outcomes = await store.removeMany(
      container,
      blobs.map(({ name, revision }) => ({ name, revision })),
      call,
    );
    if (outcomes.includes('conditionFailed')) return false;
  }
  return true;
}

/** @returns undefined for every other head */
function keyedVoid({ home }: Bucket, head: Head): { readonly key: string; readonly head: Head } | undefined {
  const { record, ref } = head;
  if (record?.kind !== 'void') return undefined;
  const key = keyOfHead(home.store, ref.name, record);
  return key === undefined ? undefined : { key, head };
}
