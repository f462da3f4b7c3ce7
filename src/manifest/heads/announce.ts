import { isS3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import { type ChangeKind, eventNameOf } from '../../protocol/notifications/event-names.ts';
import { concernsKey, ruleFor } from '../../protocol/notifications/notification-rule.ts';
import { removeForGood } from '../../store/remove-for-good.ts';
import { type ObjectEvent, encodeIntent, intentRef } from '../records/change-intent.ts';
import type { KeyRef } from '../records/key-ref.ts';
import { timeOf } from '../records/time.ts';
import { announcedBy } from './commit-life.ts';
import { NOTHING, versionNonce } from './head-commit.ts';
import type { Head } from './head.ts';

const EMPTY = new Uint8Array(0);
/** MD5 of no bytes: S3 gives it to delete markers. */
export const ETAG_OF_NOTHING = 'd41d8cd98f00b204e9800998ecf8427e';
/** Digits of a seq: 64 bits. */
const SEQ_DIGITS = 16;

/** A change that is about to be committed. */
export interface AnnouncedChange {
  readonly kind: ChangeKind;
  /** Of the head that it writes. */
  readonly nonce: string;
  /** Names the intent, where other requests may write a head of the same nonce; absent: the nonce does. */
  readonly attempt?: string;
  /** On whose revision it is committed; undefined: there must be none. */
  readonly head: Head | undefined;
  /** It removes the head, or what it writes is removed soon. */
  readonly leavesNothing?: boolean;
  /** The version's place; of a removal, that of the head. Microseconds. */
  readonly seq: number;
  /** Absent: the null version. */
  readonly versionId?: string | undefined;
  readonly etag?: string;
  readonly size?: number;
}

/** Whether changes of a key have to be announced: a configuration of the bucket is about it. */
export function isWatched({ bucket, key }: KeyRef): boolean {
  const { notifications } = bucket.settings;
  return notifications !== undefined && concernsKey(notifications, key);
}

/**
 * Writes down, before a change of a key is committed, what it will be: so its event is sent although this process may
 * die right behind the commit. The intent says which states of the key were there before, which proves the changes that
 * made these, even when the head no longer does. So a change that nobody has asked for is announced, too, if some other
 * of the same key is asked for. One call; none where no configuration of the bucket is about the key.
 *
 * To be called for each turn of the change: each replaces another head. @throws StoreError: then nothing was changed
 */
export async function announce(place: KeyRef, change: AnnouncedChange, call: Call): Promise<void> {
  if (!isWatched(place)) return;
  const { bucket, key } = place;
  const { nonce, attempt = nonce, head, leavesNothing } = change;
  const event = eventOf(place, change, call);
  const metadata = encodeIntent({
    bucket: bucket.name,
    key,
    nonce,
    seen: noncesOf(head),
    ...(leavesNothing === true && { leavesNothing }),
    ...(event !== undefined && { event }),
  });
  const ref = intentRef(place, attempt);
  announcedBy(call).add(ref.name);
  await bucket.home.store.write(ref, EMPTY, { metadata }, call);
}

/** What refuses a change for certain: nothing of it was committed. */
const REFUSALS = ['PreconditionFailed', 'ConditionalRequestConflict'] as const;

/**
 * Removes what a change has announced that was refused, behind the answer. Clients that ask for a condition again and
 * again would leave an intent a request otherwise, for a day.
 */
export function withdrawRefused({ bucket }: KeyRef, { error, own, later }: RefusedChange): void {
  const names = [...announcedBy(own)];
  if (names.length === 0 || !isS3Error(error, ...REFUSALS)) return;
  const items = names.map((name) => ({ name }));
  later(`withdraw ${names[0] ?? ''}`, async (call) => {
    await removeForGood(bucket.home, items, call);
  });
}

interface RefusedChange {
  readonly error: unknown;
  /** Of the commit. */
  readonly own: Call;
  readonly later: (name: string, task: (call: Call) => Promise<void>) => void;
}

/** The nonces that prove changes which made a head what it is. NOTHING: there was no head. */
export function noncesOf(head: Head | undefined): readonly string[] {
  return head === undefined ? [NOTHING] : [versionNonce(head), ...(head.record?.ring ?? [])];
}

function eventOf({ bucket, key }: KeyRef, change: AnnouncedChange, call: Call): ObjectEvent | undefined {
  const { occasion, requestId } = call;
  if (occasion === undefined) return undefined;
  const name = eventNameOf(occasion.operation, change.kind);
  const rule = name && ruleFor(bucket.settings.notifications ?? [], name, key);
  if (name === undefined || rule === undefined) return undefined;
  const { versionId, etag, size } = change;
  const time = timeOf(bucket.home).now();
  return {
    name,
    ruleId: rule.id,
    target: rule.target,
    time,
    key,
    ...(versionId !== undefined && { versionId }),
    ...(etag !== undefined && { etag }),
    ...(size !== undefined && { size }),
    sequencer: sequencerOf(change, time),
    principalId: occasion.principalId,
    sourceAddress: occasion.sourceAddress,
    requestId,
    hostId: occasion.hostId,
  };
}

/**
 * Sequencers are compared as text, the shorter one as if zeros followed. That of a version is its place. A removal
 * comes after the place of the head that it found, and before the next one; several there are told apart by the time.
 */
function sequencerOf({ kind, seq }: AnnouncedChange, time: number): string {
  const place = hex(seq);
  return kind === 'removed' ? place + hex(time * 1000) : place;
}

function hex(microseconds: number): string {
  return microseconds.toString(16).toUpperCase().padStart(SEQ_DIGITS, '0');
}
