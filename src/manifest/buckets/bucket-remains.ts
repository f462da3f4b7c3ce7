import type { Call } from '../../observe/call.ts';
import type { ContainerEntry } from '../../store/blob-store.ts';
import { blobsOf, pagesOf } from '../../store/pages.ts';
import { isStoreError } from '../../store/store-error.ts';
import { parseListedHead } from '../heads/head.ts';
import type { BucketHome } from '../records/bucket.ts';
import type { BucketStore, StoredBucket } from './bucket-store.ts';
import { ownerMark } from './container-names.ts';

/** What is left of a deleted bucket's container. `left`: it holds blobs that came after it had been found empty. */
type Remains = 'gone' | 'left';

/**
 * Removes the container of a bucket that was deleted by somebody who died before he came to that, or whose answer was
 * lost. May be done by anybody, at any time and twice, because names of containers are not given twice while anything
 * may still be on its way to them. What tools of the cloud have put there since is not removed.
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
  // The configuration has given the name to a part of a container since.
  if (entry.place !== undefined) return 'gone';
  // Without a mark it may be one that somebody made after the deletion.
  const isOurs =
    entry.owner === undefined
      ? record.owned !== true && entry.lastModified <= lastModified
      : entry.owner === ownerMark(record.uid);
  if (!isOurs) return 'gone';
  if (!(await removeLeftovers(home, call))) return 'left';
  try {
    await home.store.removeContainer(home.container, call);
  } catch (error) {
    if (isStoreError(error, 'containerNotEmpty')) return 'left';
    if (!isStoreError(error, 'containerNotFound', 'containerBusy')) throw error;
  }
  return 'gone';
}

/**
 * Removes what deleted keys have left in a container, each at the revision that was looked at: heads that say that
 * nothing is there. A container that somebody else removes meanwhile holds nothing. Of a removal that was not answered
 * nobody knows: whoever asks then has the service say whether the container is empty.
 * @returns whether there was nothing else
 */
export async function removeLeftovers(home: Pick<BucketHome, 'store' | 'container'>, call: Call): Promise<boolean> {
  try {
    return await removeVoids(home, call);
  } catch (error) {
    if (isStoreError(error, 'containerNotFound', 'containerBusy')) return true;
    throw error;
  }
}

async function removeVoids(
  { store, container }: Pick<BucketHome, 'store' | 'container'>,
  call: Call,
): Promise<boolean> {
  for await (const page of pagesOf(store, container, {}, call)) {
    const blobs = blobsOf(page);
    if (blobs.some((blob) => parseListedHead({ container, name: blob.name }, blob).record?.kind !== 'void')) {
      return false;
    }
    const outcomes = await store.removeMany(
      container,
      blobs.map(({ name, revision }) => ({ name, revision })),
      call,
    );
    if (outcomes.includes('conditionFailed')) return false;
  }
  return true;
}
