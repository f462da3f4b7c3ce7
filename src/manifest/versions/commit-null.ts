import type { Call } from '../../observe/call.ts';
import type { Condition, WriteResult } from '../../store/blob-store.ts';
import { newNonce } from '../records/clock.ts';
import type { FieldsOf } from '../records/record-fields.ts';
import type { VersionToken } from '../records/version-token.ts';
import {
  type HeadTarget,
  type QueueMoment,
  byNonce,
  changeHead,
  ringAfter,
  versionNonce,
} from '../heads/head-commit.ts';
import type { Head, SeenHead } from '../heads/head.ts';
import type { ObjectsContext } from './object-context.ts';
import { type PlacedHead, displaceNull, floorAbove } from './displace.ts';
import { placeHead } from './drain-window.ts';

/** What every head that is the null version has from the head it replaces. */
type NullBase = FieldsOf<'nonces'> &
  Pick<FieldsOf<'log'>, 'dels' | 'floor'> & {
    /** A seq above the head's. */
    readonly seq: number;
  };

export interface NewNull extends HeadTarget {
  readonly nonce?: string;
  /** Prepares and returns the one conditional write of the head. May be asked several times. */
  readonly plan: (
    base: NullBase,
    turn: { readonly placed: PlacedHead; readonly condition: Condition },
  ) => Promise<() => Promise<WriteResult>>;
  /** Private blob that the head names: it must not be taken for the one that it displaces. */
  readonly blob?: VersionToken;
  /** As in a `HeadChange`. */
  readonly onDoubt?: () => void;
  readonly beforeSend?: () => void;
  readonly already?: (head: Head | undefined) => Promise<boolean>;
  /** As in a `HeadChange`. */
  readonly known?: SeenHead | undefined;
  /** `never` where the write takes as long as a copy does. Default: first. */
  readonly queues?: QueueMoment;
}

interface CommittedNull {
  /** Of the head that was written; 0 when another request has done it all. */
  readonly seq: number;
  /** Undefined when the write is known to be done, but no longer what the head says. */
  readonly written: WriteResult | undefined;
}

/**
 * Makes the null version anew and current: in a bucket whose versioning is suspended, and for what is published
 * in one that never had any. The null version before it is named in the head until its blob is gone.
 */
export async function commitNull(context: ObjectsContext, version: NewNull, call: Call): Promise<CommittedNull> {
  const { bucket, key, conditions, already, onDoubt, beforeSend, known, queues = 'first' } = version;
  const place = { bucket, key };
  const nonce = version.nonce ?? newNonce();
  let seq = 0;
  let dels: readonly VersionToken[] = [];
  const written = await changeHead<WriteResult | undefined>(
    {
      bucket,
      key,
      conditions,
      repeatable: true,
      versioned: bucket.versioning !== 'never',
      queues,
      known,
      plan: async ({ head }, condition) => {
        const placed = await placeHead(context, place, head, call);
        seq = context.clock.next(placed.seq);
        const displaced = (await displaceNull(place, head, call)).dels ?? [];
        dels = displaced.filter((token) => token !== version.blob);
        // Said even where it is the seq itself: it tells that this writer knew of versions.
        const floor = bucket.versioning === 'never' ? {} : { floor: seq, ...floorAbove(placed, conditions) };
        return version.plan(
          { nonce, seq, ...ringAfter(head), ...(dels.length > 0 && { dels }), ...floor },
          { placed, condition },
        );
      },
      recognise: byNonce(nonce, (head) => (versionNonce(head) === nonce ? head.properties : undefined)),
      ...(onDoubt && { onDoubt }),
      ...(beforeSend && { beforeSend }),
      ...(already && { already: async (head) => ((await already(head)) ? { result: undefined } : undefined) }),
    },
    call,
  );
  for (const token of dels) context.settler.discard(place, token);
  return { seq, written };
}
