import type { Call } from '../../observe/call.ts';
import type { Condition, WriteResult } from '../../store/blob-store.ts';
import { newNonce } from '../records/clock.ts';
import type { FieldsOf } from '../records/record-fields.ts';
import type { VersionToken } from '../records/version-token.ts';
import { type AnnouncedChange, ETAG_OF_NOTHING, announce } from '../heads/announce.ts';
import {
  type HeadChange,
  type HeadTarget,
  byNonce,
  changeHead,
  ringAfter,
  versionNonce,
} from '../heads/head-commit.ts';
import type { SeenHead } from '../heads/head.ts';
import type { PublishOnce } from '../heads/object-requests.ts';
import type { ObjectsContext } from './object-context.ts';
import { type PlacedHead, displaceNull, floorAbove } from './displace.ts';
import { placeHead } from './drain-window.ts';

/** What every head that is the null version has from the head it replaces. */
type NullBase = FieldsOf<'nonces'> &
  Pick<FieldsOf<'log'>, 'dels' | 'floor'> & {
    /** A seq above the head's. */
    readonly seq: number;
  };

/** The null version that is about to be. */
type NewNull = NullBasics & (HeldNull | CopiedNull | DetachedNull);

interface NullBasics extends HeadTarget {
  /** What it is, as events say it. */
  readonly content: NullContent;
  /** Its place in the history, microseconds; undefined: it has none of its own, and gets the next one by the clock. */
  readonly ownPlace?: (placed: PlacedHead) => number | undefined;
  /** Prepares and returns the one conditional write of the head. May be asked several times. */
  readonly plan: (
    base: NullBase,
    turn: { readonly placed: PlacedHead; readonly condition: Condition },
  ) => Promise<() => Promise<WriteResult>>;
}

/** An object, or a delete marker. */
type NullContent = { readonly etag: string; readonly size: number } | 'marker';

/** What it is made of is in memory. */
interface HeldNull {
  readonly writes: 'held';
  readonly nonce: string;
  /** As in a `HeadChange`. */
  readonly known?: SeenHead | undefined;
  readonly onDoubt?: () => void;
}

/** The write of the head is a copy. */
interface CopiedNull {
  readonly writes: 'copied';
  /** As in a `HeadChange`. */
  readonly known?: SeenHead | undefined;
}

/** Its bytes lie on a private blob, which the head names. */
export interface DetachedNull {
  readonly writes: 'assembled';
  /** That blob: it must not be taken for the one that the head displaces. */
  readonly blob: VersionToken;
  /** As in a `HeadChange`. */
  readonly isTooLate: () => boolean;
  readonly known?: SeenHead | undefined;
  /** What makes one of several attempts; `happened` only where other requests may make the same version. */
  readonly once: Pick<PublishOnce, 'nonce' | 'onDoubt'> & Partial<Pick<PublishOnce, 'happened'>>;
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
  const { bucket, key, conditions, plan } = version;
  const place = { bucket, key };
  const { nonce, ...own } = asChange(version);
  const attempt = newNonce();
  let seq = 0;
  let dels: readonly VersionToken[] = [];
  const written = await changeHead<WriteResult | undefined>(
    {
      bucket,
      key,
      conditions,
      ...own,
      plan: async ({ head }, condition) => {
        const placed = await placeHead(context, place, head, call);
        seq = version.ownPlace?.(placed) ?? context.clock.next(placed.seq);
        const displaced = (await displaceNull(place, head, call)).dels ?? [];
        dels = version.writes === 'assembled' ? displaced.filter((token) => token !== version.blob) : displaced;
        // Said even where it is the seq itself: it tells that this writer knew of versions.
        const floor = bucket.versioning === 'never' ? {} : { floor: seq, ...floorAbove(placed, conditions) };
        const send = await plan(
          { nonce, seq, ...ringAfter(head), ...(dels.length > 0 && { dels }), ...floor },
          { placed, condition },
        );
        await announce(place, { nonce, attempt, head, seq, ...asAnnounced(version.content) }, call);
        return send;
      },
      recognise: byNonce(nonce, (head) => (versionNonce(head) === nonce ? head.properties : undefined)),
    },
    call,
  );
  for (const token of dels) context.settler.discard(place, token);
  return { seq, written };
}

function asAnnounced(content: NullContent): Pick<AnnouncedChange, 'kind' | 'etag' | 'size'> {
  return content === 'marker' ? { kind: 'markerCreated', etag: ETAG_OF_NOTHING } : { kind: 'created', ...content };
}

type OwnPart = Pick<HeadChange<undefined>, 'writes' | 'known' | 'happened'> &
  Partial<Pick<HeadChange<undefined>, 'onDoubt' | 'isTooLate'>> & { readonly nonce: string };

/** What the kinds of a null version do each in their own way. */
function asChange(version: NewNull): OwnPart {
  if (version.writes === 'copied') return { writes: 'copied', nonce: newNonce(), known: version.known };
  if (version.writes === 'held') {
    const { writes, nonce, known, onDoubt } = version;
    return { writes, nonce, known, ...(onDoubt && { onDoubt }) };
  }
  const { known, isTooLate, once } = version;
  const { nonce, onDoubt, happened } = once;
  return {
    writes: 'held',
    nonce,
    known,
    isTooLate,
    onDoubt,
    happened: happened && (async (head) => ((await happened(head)) === undefined ? undefined : { result: undefined })),
  };
}
