import type { Call } from '../../observe/call.ts';
import { hasWriteConditions, isCreateOnly } from '../../protocol/conditions.ts';
import { ABSENT, type Condition } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import { type HeadChange, changeHead, refusal, writeOnce } from './head-commit.ts';
import type { Head } from './head.ts';
import { asNoSuchBucket } from './object-read.ts';

/** A write of a whole head, whatever was there before, in a bucket that never had versioning. */
interface HeadWrite<T> extends Omit<HeadChange<T>, 'plan'> {
  /** The one call. Without a condition: unconditional, and no head was read. */
  readonly send: (on: { readonly head: Head | undefined; readonly condition: Condition | undefined }) => Promise<T>;
}

/**
 * Writes the head. Unconditional: one call, which is not repeated after a lost answer (the client decides).
 * `If-None-Match: *`: the service's own create-if-absent. Other conditions: judged on the head, then the write is
 * pinned to its revision.
 * @throws S3Error NoSuchBucket, and as `changeHead`
 */
export async function writeHead<T>({ send, ...target }: HeadWrite<T>, call: Call): Promise<T> {
  const { bucket, conditions } = target;
  const change: HeadChange<T> = {
    ...target,
    plan:
      async ({ head }, condition) =>
      () =>
        send({ head, condition }),
  };
  if (hasWriteConditions(conditions) && !isCreateOnly(conditions)) return changeHead(change, call);
  try {
    if (!hasWriteConditions(conditions)) return await send({ head: undefined, condition: undefined });
    const create = (): Promise<T> => send({ head: undefined, condition: ABSENT });
    return await writeOnce(change, { send: create, condition: ABSENT, head: undefined }, call);
  } catch (error) {
    if (hasWriteConditions(conditions) && isStoreError(error, 'conditionFailed')) {
      throw await refusal(change, error, call);
    }
    throw asNoSuchBucket(error, bucket);
  }
}
