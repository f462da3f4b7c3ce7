import type { Call } from '../../observe/call.ts';
import { hasWriteConditions, judgeWrite } from '../../protocol/conditions.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import { type HeadTarget, refusal } from './head-commit.ts';
import { liveView, readHead } from './object-read.ts';
import type { ObjectsContext } from './object-context.ts';
import { sealDeleted } from '../uploads/upload-claim.ts';

const MAX_TURNS = 8;

/**
 * DELETE in a bucket that never had versioning: head, then removal on its revision. Never
 * unconditional: a replica with a stale bucket record would destroy a versioned head.
 * @returns whether there was an object
 */
export async function removeObject(context: ObjectsContext, target: HeadTarget, call: Call): Promise<boolean> {
  const { bucket, key, conditions } = target;
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const head = await readHead(bucket, key, call);
    const view = liveView(bucket, key, head);
    if (head === undefined || view === undefined) return turn > 0; // a conditional delete of nothing succeeds as well
    judgeWrite(conditions, view, key);
    if (head.record?.blob !== undefined) await sealDeleted(bucket.home, head.record.blob, call);
    try {
      await bucket.home.store.remove(head.ref, head.properties.revision, call);
    } catch (error) {
      if (isStoreError(error, 'notFound')) return true;
      if (!isStoreError(error, 'conditionFailed') && !(isStoreError(error) && error.lost)) throw error;
      if (hasWriteConditions(conditions) && error.kind === 'conditionFailed') throw await refusal(target, error, call);
      continue;
    }
    if (head.record?.blob !== undefined) context.settler.discard(bucket.home, head.record.blob);
    return true;
  }
  throw new StoreError('throttled', { call: 'remove', code: 'Contention' });
}
