import type { Call } from '../../observe/call.ts';
import { type WriteConditions, hasWriteConditions } from '../../protocol/conditions.ts';
import { at } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import { blobMetadata } from '../heads/overflow.ts';
import { claimIn, nativeIn } from '../records/metadata.ts';
import {
  type InlineHead,
  type AssembledHead,
  type OwnObject,
  RECORD_NAME,
  namedNull,
  namedVersion,
  objectFields,
  saysNull,
} from '../records/record.ts';
import { ownKey, versionRef } from '../records/version-names.ts';
import { type VersionToken, isNewer, seqOfToken, tokenOfNull } from '../records/version-token.ts';
import { whileStreaming } from '../heads/commit-life.ts';
import { type Head, contentHeadersOf, nativeRecord, sameContentHeaders, viewOf } from '../heads/head.ts';
import { readHead } from '../heads/object-read.ts';
import { type OwnCopy, copyToOwn } from './own-copy.ts';
import { RemovalReason, removeVersionBlob } from './remove-blob.ts';
import { stampCurrent, stampVersion, touchVersion } from './stamp.ts';
import type { KeyRef } from '../records/key-ref.ts';
import { AGAIN } from '../records/turns.ts';

/** A head, and where in the key's history it stands. */
export interface PlacedHead {
  readonly head: Head | undefined;
  /** Microseconds. */
  readonly seq: number;
  /** Seq above which an overtaken version may still be committed below this head. */
  readonly floor: number;
}

/** What the next head says of the null version. */
export interface Inherited {
  readonly nullVersion?: VersionToken;
  readonly dels?: readonly VersionToken[];
}

/**
 * All that must be true before a head may be replaced by one that names a new version: its log is done, the
 * version it names is stamped, and a null version that lies in it is where it can stay.
 * @returns AGAIN: the head has moved
 * @throws StoreError conditionFailed: the same
 */
export async function displace(place: KeyRef, placed: PlacedHead, call: Call): Promise<Inherited | typeof AGAIN> {
  const [nullVersion] = await Promise.all([displaceCurrent(place, placed, call), redo(place, placed.head, call)]);
  if (nullVersion === AGAIN) return AGAIN;
  return nullVersion === undefined ? {} : { nullVersion };
}

/**
 * As `displace`, for a new head that will itself be the null version. The null version before it is removed; until then
 * the new head names it in its log.
 */
export async function displaceNull(place: KeyRef, head: Head | undefined, call: Call): Promise<Inherited> {
  const old = nullBlobOf(head);
  const named = namedVersion(head?.record);
  await Promise.all([
    redo(place, head, call),
    head !== undefined && named !== undefined && named !== old && stampCurrent(place, head, call),
  ]);
  return old === undefined ? {} : { dels: [old] };
}

/** Own blob of the null version, current or not; undefined when there is none or its bytes are in the head. */
export function nullBlobOf(head: Head | undefined): VersionToken | undefined {
  const record = head?.record;
  return record?.kind === 'assembled' || saysNull(record) ? namedVersion(record) : namedNull(record);
}

/**
 * Carries out the log of a head: stamps the versions that it added and removes the blobs that it let go of. Whoever
 * replaces the head does this first, and leaves the log out of the new head.
 */
export async function redo(place: KeyRef, head: Head | undefined, call: Call): Promise<void> {
  const { adds = [], dels = [] } = head?.record ?? {};
  await Promise.all([
    ...adds.map((token) => stampVersion(place, token, call)),
    ...dels.map((token) => removeVersionBlob(place, token, RemovalReason.loggedIn(head), call)),
  ]);
}

/**
 * Carries out the log of a head that names this version as deleted: an earlier deletion was committed, and broke off
 * before it removed the blob.
 * @returns false when the head does not say so; then nothing is done
 */
export async function finishDeletion(
  place: KeyRef,
  head: Head | undefined,
  token: VersionToken,
  call: Call,
): Promise<boolean> {
  if (head?.record?.dels?.includes(token) !== true) return false;
  await redo(place, head, call);
  return true;
}

async function displaceCurrent(
  place: KeyRef,
  { head, seq }: Pick<PlacedHead, 'head' | 'seq'>,
  call: Call,
): Promise<VersionToken | undefined | typeof AGAIN> {
  if (head === undefined) return undefined;
  switch (head.record?.kind) {
    case 'void':
      return undefined;
    case 'link':
    case 'marker':
      if (head.record.isNull === true) return head.record.version;
      await stampCurrent(place, head, call);
      return head.record.nullVersion;
    case 'assembled':
      return hasOwnPlace(head.record)
        ? keepDetachedNull(place, { head, record: head.record }, call)
        : moveNull(place, { head, seq, record: head.record }, call);
    default:
      return moveNull(place, { head, seq, record: head.record ?? nativeRecord(head) }, call);
  }
}

/** The order of a blob's name is the object's place. Not so for an upload that was completed over something newer. */
function hasOwnPlace({ version, seq }: AssembledHead): boolean {
  return seqOfToken(version) === seq;
}

/**
 * The floor that a new head must state. A version that was committed under a condition is the floor itself, so its head
 * need not state one.
 */
export function floorAbove({ floor }: PlacedHead, conditions: WriteConditions): { floor?: number } {
  return hasWriteConditions(conditions) ? {} : { floor };
}

/** Microseconds; of a blob that native tools wrote, its time. */
export function seqOfHead(head: Head | undefined): number {
  if (head === undefined) return 0;
  return head.record?.seq ?? head.properties.lastModified * 1000;
}

/** The place of the version that a head names, or is. */
function tokenOfHead(head: Head, seq: number): VersionToken {
  const { record } = head;
  const isNamed = record?.kind !== 'assembled' || hasOwnPlace(record);
  const named = isNamed ? namedVersion(record) : undefined;
  if (named !== undefined) return named;
  return tokenOfNull(seq, head.properties.revision);
}

/**
 * A version with this place would not be the current one. Nothing is behind a void, which has no version; without a
 * head, what is known are names above.
 */
export function isBehind(token: VersionToken, { head, seq }: Pick<PlacedHead, 'head' | 'seq'>): boolean {
  if (head === undefined) return seqOfToken(token) <= seq;
  return head.record?.kind !== 'void' && isNewer(tokenOfHead(head, seq), token);
}

/** A head that is the null version, or speaks for it. */
interface NullInHead {
  readonly head: Head;
  readonly record: InlineHead | AssembledHead;
}

/** Copies the null version to a blob of its own, whose name no other state of it gets. */
async function moveNull(
  { bucket, key }: KeyRef,
  { head, seq, record: inHead }: NullInHead & Pick<PlacedHead, 'seq'>,
  call: Call,
): Promise<VersionToken | typeof AGAIN> {
  const token = tokenOfHead(head, seq);
  const target = versionRef({ bucket, key }, token);
  const view = viewOf(head, { bucket, key });
  const { store } = bucket.home;
  const native = nativeIn(head.properties.metadata);
  const record = { ...ownNullRecord({ bucket, key }, { head, record: inHead }), seq, mtime: view.mtime };
  try {
    // An inline head's bytes and headers are those of one blob.
    const source = view.bytes.revision === undefined ? await store.head(view.bytes.ref, call) : head.properties;
    const headers = contentHeadersOf(head.properties);
    const request: OwnCopy = {
      target,
      source: { ...view.bytes.ref, revision: source.revision },
      size: source.size,
      headers,
      metadata: await blobMetadata(bucket.home, record, native, call),
      sameHeaders: sameContentHeaders(headers, source),
      ...(source.md5 !== undefined && { md5: source.md5 }),
    };
    await whileStreaming(call, (client) => copyToOwn(store, request, client));
  } catch (error) {
    if (isStoreError(error, 'conditionFailed')) {
      // Another request has copied the same state, perhaps long ago: it must not be old when a head comes to name it.
      await touchVersion({ bucket, key }, token, call);
      return token;
    }
    if (isStoreError(error, 'sourceConditionFailed', 'sourceNotFound', 'notFound', 'partsGone')) return AGAIN;
    throw error;
  }
  return token;
}

/** Record of the null version on a blob of its own, from the head that it lies in. */
function ownNullRecord({ bucket, key }: KeyRef, { head, record }: NullInHead): OwnObject {
  return {
    ...objectFields(record),
    ...ownKey({ bucket, key }),
    kind: 'inline',
    isNull: true,
    etag: viewOf(head, { bucket, key }).etag,
  };
}

/**
 * The null version has its own blob, but its record is in the head: it is written to the blob, on the blob's
 * revision. The head is read again in between, or a record that was changed since would be overwritten.
 */
async function keepDetachedNull(
  { bucket, key }: KeyRef,
  inHead: NullInHead & { readonly record: AssembledHead },
  call: Call,
): Promise<VersionToken | typeof AGAIN> {
  const { store } = bucket.home;
  const { head, record } = inHead;
  const token = record.version;
  const ref = versionRef({ bucket, key }, token);
  try {
    const { metadata, revision } = await store.head(ref, call);
    if ((await readHead({ bucket, key }, call))?.properties.revision !== head.properties.revision) return AGAIN;
    const own = await blobMetadata(
      bucket.home,
      ownNullRecord({ bucket, key }, inHead),
      nativeIn(head.properties.metadata),
      call,
    );
    if (own[RECORD_NAME] === metadata[RECORD_NAME]) return token;
    await store.setMetadata(ref, { ...own, ...claimIn(metadata) }, at(revision), call);
    return token;
  } catch (error) {
    if (isStoreError(error, 'notFound')) return AGAIN;
    throw error;
  }
}
