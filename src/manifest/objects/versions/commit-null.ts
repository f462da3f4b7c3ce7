import type { Call } from '../../../observe/call.ts';
import type { Condition } from '../../../store/blob-store.ts';
import { newNonce } from '../../records/clock.ts';
import type { ObjectRecord } from '../../records/record.ts';
import type { VersionToken } from '../../records/version-token.ts';
import { type Found, type HeadTarget, byNonce, changeHead } from '../head-commit.ts';
import type { Head } from '../head.ts';
import type { ObjectsContext } from '../object-context.ts';
import { ringOf } from './commit-version.ts';
import { type PlacedHead, displaceNull } from './displace.ts';
import { placeHead } from './drain-window.ts';

/** What every head that is the null version has from the head it replaces. */
export type NullBase = Pick<ObjectRecord, 'nonce' | 'ring' | 'dels'> & {
  /** A seq above the head's. */
  readonly seq: number;
};

export interface NewNull<T> extends HeadTarget {
  readonly nonce?: string;
  /** Prepares and returns the one conditional write of the head. May be asked several times. */
  readonly plan: (base: NullBase, turn: { readonly placed: PlacedHead; readonly condition: Condition }) => Promise<() => Promise<T>>;
  /** What to answer when that write is found done. */
  readonly result: (head: Head | undefined) => T;
  /** Private blob that the head names: it must not be taken for the one that it displaces. */
  readonly blob?: () => VersionToken | undefined;
  readonly repeatable: boolean;
  readonly already?: (head: Head | undefined) => Promise<Found<T> | undefined>;
}

/**
 * Makes the null version anew and current: in a bucket whose versioning is suspended, and for what is published
 * in one that never had any. The null version before it is named in the head until its blob is gone.
 */
export async function commitNull<T>(context: ObjectsContext, version: NewNull<T>, call: Call): Promise<T> {
  const { bucket, key, conditions, repeatable, already } = version;
  const place = { bucket, key };
  const nonce = version.nonce ?? newNonce();
  let dels: readonly VersionToken[] = [];
  const result = await changeHead<T>(
    {
      bucket,
      key,
      conditions,
      repeatable,
      versioned: bucket.versioning !== 'never',
      plan: async (head, condition) => {
        const placed = await placeHead(place, head, { context, call });
        const seq = context.clock.next(placed.seq);
        const displaced = (await displaceNull(place, head, call)).dels ?? [];
        dels = displaced.filter((token) => token !== version.blob?.());
        return version.plan({ nonce, seq, ...ringOf(head), ...(dels.length > 0 && { dels }) }, { placed, condition });
      },
      recognise: byNonce(nonce, version.result),
      ...(already && { already }),
    },
    call,
  );
  for (const token of dels) context.settler.discard(place, token);
  return result;
}
