import { removeForGood } from '../../../src/store/remove-for-good.ts';
import type { Settler } from '../../../src/manifest/versions/settle.ts';

/** A settler that moves no object to its key. What would have gone along with the object's blob goes by itself. */
export function withoutSettling(settler: Settler): Settler {
  let count = 0;
  return {
    ...settler,
    schedule: ({ bucket }, fresh) => {
      count += 1;
      settler.later(`along ${count}`, async (call) => {
        await removeForGood(bucket.home, fresh?.along ?? [], call);
      });
    },
  };
}
