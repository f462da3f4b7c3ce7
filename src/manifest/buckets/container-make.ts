import type { Call } from '../../observe/call.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import type { BucketRecord } from '../records/bucket-record.ts';
import { ownerMark } from './container-names.ts';
import type { Backend } from './realm.ts';

/** Sends of one creation whose answers get lost. */
const MAX_SENDS = 3;

/**
 * `marked`: the container is the bucket's, and says so. `unmarked`: it was made for it by a service that keeps no
 * marks. `taken`: it is another's.
 */
export type Made = 'marked' | 'unmarked' | 'taken';

/**
 * Makes a container for one bucket alone. One that is there already counts only if it carries the bucket's uid: then it
 * was made for it before, by a call whose answer was lost, by a CreateBucket that died or by one beside this.
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
      // Not there: it never was, or has gone since.
      if (!isStoreError(error, 'containerNotFound')) throw error;
    }
  }
  throw new StoreError('throttled', { call: 'createContainer', code: 'Contention', cause });
}
