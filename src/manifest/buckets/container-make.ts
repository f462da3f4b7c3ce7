import type { Call } from '../../observe/call.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import type { BucketRecord } from '../records/bucket-record.ts';
import { ownerMark } from './container-names.ts';
import type { Backend } from './realm.ts';

/** How often one creation is sent while its answers get lost. */
const MAX_SENDS = 3;

/**
 * `marked`: the container belongs to the bucket and says so. `unmarked`: it was made for the bucket by a service that
 * keeps no marks. `taken`: it belongs to another bucket or customer.
 */
export type Made = 'marked' | 'unmarked' | 'taken';

/**
 * Makes a container for one bucket alone. A container that exists already counts only if it carries the bucket's uid.
 * It was then made for the same bucket: by a call whose answer was lost, or by another CreateBucket, dead or still
 * running.
 * @throws StoreError
 */
export async function makeContainer(
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
