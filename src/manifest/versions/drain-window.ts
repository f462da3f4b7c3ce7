import type { Call } from '../../observe/call.ts';
import { blobsOf, pagesOf } from '../../store/pages.ts';
import type { Bucket } from '../records/bucket.ts';
import type { HeadRecord } from '../records/record.ts';
import { versionsOfKey } from '../records/version-names.ts';
import { seqOfToken } from '../records/version-token.ts';
import { type Head, nativeRecord, recordIsHere, viewOf } from '../heads/head.ts';
import type { ObjectsContext } from './object-context.ts';
import { type PlacedHead, seqOfHead } from './displace.ts';
import { type VersionBlob, parseVersion } from './version-blob.ts';
import type { KeyRef } from '../records/key-ref.ts';

const PAGE = 100;

/**
 * Longer than a writer may take between what it looked at and its last call, and that call on its way. Milliseconds.
 */
export const VERSIONING_DRAIN_MS = 30 * 60_000;

/** Code of refusals that only wait for the end of the window. */
export const VERSIONING_JUST_ENABLED = 'VersioningJustEnabled';

/**
 * True for a while after versioning was turned on for the first time: an unconditional PUT that began before may
 * still land, over any head. So writers stamp their version before they answer, and whoever finds a head that a
 * plain PUT may have written, or none, looks at the versions' own blobs.
 */
export function isDraining(
  { versioningDrainMs, now }: Pick<ObjectsContext, 'versioningDrainMs' | 'now'>,
  { versioning, versionedSince }: Bucket,
): boolean {
  return versioning !== 'never' && versionedSince !== undefined && now() < versionedSince + versioningDrainMs;
}

/**
 * Whether versions may lie hidden behind what was found at a key's name. They may behind a head that no writer of a
 * versioned bucket wrote: it is the null version and has no floor. They may also where there is no head. The ring of
 * nonces decides nothing: writers that know of no versions leave one as well, if they wrote on condition of a head.
 */
export function mayHideVersions(head: Head | undefined): boolean {
  return head === undefined || (recordIsHere(head) && head.record?.floor === undefined);
}

/**
 * Where a head stands in the key's history. An unconditional PUT from before versioning may land late, over versions:
 * its head is the current version then, and its place is above them all.
 */
export async function placeHead(
  context: ObjectsContext,
  place: KeyRef,
  head: Head | undefined,
  call: Call,
): Promise<PlacedHead> {
  const seq = seqOfHead(head);
  const placed = { head, seq, floor: head?.record?.floor ?? seq };
  if (!isDraining(context, place.bucket) || !mayHideVersions(head)) return placed;
  for await (const { token } of versionsNewestFirst(place, call)) {
    const above = Math.max(seq, seqOfToken(token) + 1);
    return { head, seq: above, floor: above };
  }
  return placed;
}

/**
 * The record that a change of a head begins with. The changed head carries nonces, so that later readers do not look
 * for versions above it any more: the record therefore says where the head stands.
 */
export async function placedRecord(
  context: ObjectsContext,
  place: KeyRef,
  head: Head,
  call: Call,
): Promise<HeadRecord> {
  const record = head.record ?? nativeRecord(head);
  if (!isDraining(context, place.bucket) || !mayHideVersions(head)) return record;
  const { seq, floor } = await placeHead(context, place, head, call);
  return { ...record, seq, floor, ...(seq !== record.seq && { mtime: viewOf(head, place).mtime }) };
}

/**
 * The current version of a key that has no head: the newest one that is stamped. Undefined outside the window of
 * `isDraining`, because a key without a head has no versions then.
 */
export async function survivingVersion(
  context: ObjectsContext,
  place: KeyRef,
  call: Call,
): Promise<VersionBlob | undefined> {
  if (!isDraining(context, place.bucket)) return undefined;
  for await (const version of versionsNewestFirst(place, call)) {
    if (version.record?.stamp === true) return version;
  }
  return undefined;
}

/** All that lies under the names of a key's versions, visible or not. A list call for each hundred. */
export async function* versionsNewestFirst({ bucket, key }: KeyRef, call: Call): AsyncGenerator<VersionBlob, void> {
  const { store, system } = bucket.home;
  const { prefix } = versionsOfKey({ bucket, key });
  for await (const page of pagesOf(store, system, { prefix, pageSize: PAGE }, call)) {
    for (const entry of blobsOf(page)) {
      yield parseVersion({ container: system, name: entry.name }, entry.name.slice(prefix.length), entry);
    }
  }
}
