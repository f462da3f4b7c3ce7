import { createHash } from 'node:crypto';
import type { RecordedEvent } from '../../protocol/notifications/event-record.ts';
import type { BlobMetadata, BlobRef } from '../../store/blob-store.ts';
import type { Bucket } from './bucket.ts';
import { toAsciiJson } from './fields.ts';
import type { KeyRef } from './key-ref.ts';
import { type KeyedNames, namesOfBucket, namesOfKey } from './keyed-names.ts';
import { RECORD_NAME } from './record.ts';
import type { VersionToken } from './version-token.ts';

/**
 * What is about to become of a key, written before the change is committed: blob
 * `n/<uid>/<encoded key>!!<id>` of the system container, all of it in the metadata, so that one list call reads many.
 * (docs/decisions/0047-events.md).
 */
export interface ChangeIntent {
  /** Name of the bucket, for those who find the intent by its uid. */
  readonly bucket: string;
  readonly key: string;
  /** Of the head that the change writes. */
  readonly nonce: string;
  /** The nonces of the head that it replaces, in the order of its ring: each is proof of the change that wrote it. */
  readonly seen: readonly string[];
  /** The change leaves no head behind that could carry its nonce. */
  readonly leavesNothing?: true;
  /** The version whose own blob it writes instead of the head; `nonce` and `seen` are of that blob. */
  readonly version?: VersionToken;
  /** It is known to be made. Needed where its proof may go before it is looked for. */
  readonly isDone?: true;
  /** What is to be told; absent: no configuration of the bucket asks for it. */
  readonly events?: readonly AnnouncedEvent[];
}

/** An event of the key, and who asks for it. */
export interface AnnouncedEvent extends Omit<RecordedEvent, 'key'> {
  readonly to: readonly Destination[];
}

/** Where an event goes: by a configuration of the bucket, to its target. */
export interface Destination {
  readonly ruleId: string;
  readonly target: string;
}

/** An event on its way to one target. */
export interface ObjectEvent extends RecordedEvent, Destination {}

/** What is to be sent when the change has been committed: an event for each that asks. */
export function eventsOf({ key, events = [] }: ChangeIntent): readonly ObjectEvent[] {
  return events.flatMap(({ to, ...event }) => to.map((destination) => ({ ...event, key, ...destination })));
}

const ID_LENGTH = 24;
const INTENTS: KeyedNames = { root: 'n', idLength: ID_LENGTH };

/** All intents of a backend. */
export const ALL_INTENTS = `${INTENTS.root}/`;

/** All intents of a bucket. */
export function intentsPrefix(bucket: Bucket): string {
  return namesOfBucket(INTENTS, bucket);
}

/** All intents of a key. */
export function intentsOfKey(place: KeyRef): string {
  return namesOfKey(INTENTS, place).prefix;
}

/** A request announces a change under one name, however often it goes round. */
export function intentRef(place: KeyRef, attempt: string): BlobRef {
  const id = createHash('sha256').update(attempt).digest('hex').slice(0, ID_LENGTH);
  return { container: place.bucket.home.system, name: intentsOfKey(place) + id };
}

const FORMAT = 1;

export function encodeIntent(intent: ChangeIntent): BlobMetadata {
  return { [RECORD_NAME]: toAsciiJson({ v: FORMAT, ...intent }) };
}

/** @throws Error for one of a later release, or that none has written */
export function decodeIntent(metadata: BlobMetadata): ChangeIntent {
  const { v, ...intent } = JSON.parse(metadata[RECORD_NAME] ?? '{}') as Partial<ChangeIntent> & { readonly v?: number };
  if (v !== FORMAT) throw new Error(`an intent of format ${String(v)} cannot be read by this release`);
  const { bucket, key, nonce, seen } = intent;
  if (bucket === undefined || key === undefined || nonce === undefined || !Array.isArray(seen)) {
    throw new Error('an intent is damaged');
  }
  return { ...intent, bucket, key, nonce, seen };
}

/** What the names of all intents of a key have in common, and of keys that are too long for a name perhaps several. */
export function stemOfIntent(name: string): string {
  return name.slice(0, -ID_LENGTH);
}
