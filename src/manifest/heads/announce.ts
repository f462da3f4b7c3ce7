import { isS3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import { defined } from '../../observe/defined.ts';
import { type ChangeKind, eventNameOf } from '../../protocol/notifications/event-names.ts';
import { concernsKey, rulesFor } from '../../protocol/notifications/notification-rule.ts';
import { type BlobRef, type Revision, at } from '../../store/blob-store.ts';
import { removeForGood } from '../../store/remove-for-good.ts';
import { isStoreError } from '../../store/store-error.ts';
import { type AnnouncedEvent, type ChangeIntent, encodeIntent, intentRef } from '../records/change-intent.ts';
import type { Bucket } from '../records/bucket.ts';
import type { KeyRef } from '../records/key-ref.ts';
import { timeOf } from '../records/time.ts';
import type { VersionToken } from '../records/version-token.ts';
import { announcedBy, outcomeUnknown } from './commit-life.ts';
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
  /** What it is at the same time. */
  readonly also?: ChangeKind;
  /** Of the head that it writes. */
  readonly nonce: string;
  /** Names the intent, where other requests may write a head of the same nonce; absent: the nonce does. */
  readonly attempt?: string;
  /** On whose revision it is committed; undefined: there must be none. */
  readonly head: Head | undefined;
  /** It writes the own blob of a version instead, which is so by now. The intent has to be confirmed then. */
  readonly own?: OwnState;
  /** It removes the head, or what it writes is removed soon. */
  readonly leavesNothing?: boolean;
  /** The version's place; of a removal, that of the head. Microseconds. */
  readonly seq: number;
  /** Absent: the null version. */
  readonly versionId?: string | undefined;
  readonly etag?: string;
  readonly size?: number;
  /** As events of archived and moved objects say it (`RecordedEvent`). */
  readonly storageClass?: string;
  readonly until?: number;
}

/** A version's own blob, and the nonces of the amendments that made it what it is, the last one first. */
interface OwnState {
  readonly token: VersionToken;
  readonly ring: readonly string[];
}

/** An intent that was written. */
export interface Announced {
  readonly ref: BlobRef;
  readonly revision: Revision;
  readonly intent: ChangeIntent;
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
 * To be called for each turn of the change: each replaces another head.
 * @returns undefined: no configuration is about the key @throws StoreError: then nothing was changed
 */
export async function announce(place: KeyRef, change: AnnouncedChange, call: Call): Promise<Announced | undefined> {
  if (!isWatched(place)) return undefined;
  const { bucket, key } = place;
  const { nonce, attempt = nonce, head, own, leavesNothing } = change;
  const events = eventsOf(place, change, call);
  const intent: ChangeIntent = {
    bucket: bucket.name,
    key,
    nonce,
    seen: own === undefined ? noncesOf(head) : noncesOfOwn(own),
    ...(own !== undefined && { version: own.token }),
    ...(leavesNothing === true && { leavesNothing }),
    ...(events.length > 0 && { events }),
  };
  const ref = intentRef(place, attempt);
  announcedBy(call).add(ref.name);
  const { revision } = await bucket.home.store.write(ref, EMPTY, { metadata: encodeIntent(intent) }, call);
  return { ref, revision, intent };
}

/**
 * Writes down that an announced change of a version's own blob is made: that blob may be removed, with the proof,
 * before anybody looks for it. One call. @throws StoreError (outcome unknown): the change is made
 */
export async function confirm({ home }: Bucket, announced: Announced | undefined, call: Call): Promise<void> {
  if (announced?.intent.events === undefined) return;
  const { ref, revision, intent } = announced;
  const metadata = encodeIntent({ ...intent, isDone: true });
  try {
    await home.store.write(ref, EMPTY, { metadata, condition: at(revision) }, call);
  } catch (error) {
    // It is told already; or this is the answer to a repetition.
    if (!isStoreError(error, 'conditionFailed')) throw outcomeUnknown(error);
  }
}

/** What refuses a change for certain: nothing of it was committed. */
const REFUSALS = ['PreconditionFailed', 'ConditionalRequestConflict'] as const;

/**
 * Removes what a change has announced that was refused, behind the answer. Clients that ask for a condition again and
 * again would leave an intent a request otherwise, for a day.
 */
export function withdrawRefused(place: KeyRef, { error, own, settler }: RefusedChange): void {
  if (isS3Error(error, ...REFUSALS)) withdraw(place, settler, own);
}

/** Removes what was announced in a call, behind the answer: none of it was committed, nor will be. */
export function withdraw(place: KeyRef, settler: Background, own: Call): void {
  const names = [...announcedBy(own)];
  if (names.length > 0) settler.later(`withdraw ${names[0] ?? ''}`, (call) => removeAnnounced(place, names, call));
}

/**
 * The same before the answer, of a removal that found the object gone: what proves a removal is that nothing is left,
 * so its intent would pass for made at any time from now on.
 */
export async function withdrawRemoval(place: KeyRef, own: Call): Promise<void> {
  const names = [...announcedBy(own)];
  if (names.length > 0) await removeAnnounced(place, names, own);
}

async function removeAnnounced({ bucket }: KeyRef, names: readonly string[], call: Call): Promise<void> {
  await removeForGood(
    bucket.home,
    names.map((name) => ({ name })),
    call,
  );
}

interface RefusedChange {
  readonly error: unknown;
  /** Of the commit. */
  readonly own: Call;
  readonly settler: Background;
}

/** Carries a task out behind the answer. */
interface Background {
  later(name: string, task: (call: Call) => Promise<void>): void;
}

/** The nonces that prove changes which made a head what it is. NOTHING: there was no head. */
export function noncesOf(head: Head | undefined): readonly string[] {
  return head === undefined ? [NOTHING] : [versionNonce(head), ...(head.record?.ring ?? [])];
}

/** The same of the own blob of a version: as of a head that was amended, the version comes first. */
export function noncesOfOwn({ token, ring }: OwnState): readonly string[] {
  return [token, ...ring];
}

function eventsOf({ bucket, key }: KeyRef, change: AnnouncedChange, call: Call): readonly AnnouncedEvent[] {
  const { occasion, requestId } = call;
  if (occasion === undefined) return [];
  const { operation, ...asked } = occasion;
  const { kind, also, versionId, etag, size, storageClass, until } = change;
  const time = timeOf(bucket.home).now();
  const said = defined({ versionId, etag, size, storageClass, until });
  const event = { time, ...said, sequencer: sequencerOf(change, time), requestId, ...asked };
  return [kind, ...(also === undefined ? [] : [also])].flatMap((each): AnnouncedEvent[] => {
    const name = eventNameOf(operation, each);
    const rules = name === undefined ? [] : rulesFor(bucket.settings.notifications ?? [], name, key);
    const to = rules.map(({ id, target }) => ({ ruleId: id, target }));
    return name === undefined || to.length === 0 ? [] : [{ name, ...event, to }];
  });
}

/**
 * Sequencers are compared as text, the shorter one as if zeros followed. That of a version is its place. What removes
 * it, or changes what is said of it, comes after the place of the head that it found, and before the next one; several
 * there are told apart by the time.
 */
function sequencerOf({ kind, seq }: AnnouncedChange, time: number): string {
  const place = hex(seq);
  return kind === 'created' || kind === 'markerCreated' ? place : place + hex(time * 1000);
}

function hex(microseconds: number): string {
  return microseconds.toString(16).toUpperCase().padStart(SEQ_DIGITS, '0');
}
