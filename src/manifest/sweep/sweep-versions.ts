import type { Call } from '../../observe/call.ts';
import { type BlobEntry, at } from '../../store/blob-store.ts';
import { blobsOf } from '../../store/pages.ts';
import type { Head } from '../heads/head.ts';
import { canSettle, settle } from '../versions/settle.ts';
import { mayHideVersions } from '../versions/drain-window.ts';
import { RemovalReason, isLocked, removeKnownBlob } from '../versions/remove-blob.ts';
import { stampVersion } from '../versions/stamp.ts';
import { isVisible, parseVersion } from '../versions/version-blob.ts';
import { RECORD_NAME, encodeRecord, namedVersion } from '../records/record.ts';
import { parseVersionName, versionsPrefix } from '../records/version-names.ts';
import { isUploadToken, seqOfToken, tokenOfNull } from '../records/version-token.ts';
import { decodeClaim, mayLandLate, sealKnown } from '../versions/upload-claim.ts';
import type { BucketSweep, ListedBlob } from './sweep-run.ts';
import { type HeadsByKey, headOfKey, headsOfKeys } from '../heads/heads-of-keys.ts';
import { mayHaveBeenPublished, removeLeftStaging, stagingOf } from './sweep-staging.ts';
import type { KeyRef } from '../records/key-ref.ts';

/**
 * All own blobs of versions, and of uploads: what the log of a head says is done, what no head names is removed
 * once it is past the grace, old assembled heads are settled. Blobs are listed first and heads read afterwards: so a
 * blob that a head names when it is listed is either named still, or was displaced and is stamped on another revision.
 */
export async function sweepVersions(sweep: BucketSweep, call: Call): Promise<void> {
  const { run, bucket } = sweep;
  for await (const page of run.pages(run.system, { prefix: versionsPrefix(bucket) }, call)) {
    const blobs = blobsOf(page).filter(({ lastModified }) => run.isOlderThan(lastModified, run.settings.settleAfterMs));
    const listed = await readNames(sweep, blobs, call);
    const heads = await headsOfKeys(bucket, [...new Set(listed.map(({ key }) => key))], run.settings, call);
    await run.each(listed, (blob) => run.step(sweep.tally, blob.entry.name, () => sweepBlob(sweep, blob, heads, call)));
  }
}

/**
 * Leaves out what cannot be read: a record of a later release, a name of nobody's. Blobs without a record that no head
 * can name go at once.
 */
async function readNames(
  { run, bucket, tally }: BucketSweep,
  blobs: readonly BlobEntry[],
  call: Call,
): Promise<ListedBlob[]> {
  const listed: ListedBlob[] = [];
  const stumps: BlobEntry[] = [];
  for (const entry of blobs) {
    const named = parseVersionName(bucket, entry.name);
    if (named === undefined) continue;
    try {
      const blob = parseVersion({ container: run.system, name: entry.name }, named.token, entry);
      const key = named.key ?? blob.record?.key;
      if (key !== undefined) listed.push({ ...blob, key, entry });
      else if (blob.record === undefined && run.isPastGrace(entry)) stumps.push(entry);
    } catch (error) {
      tally.problem(entry.name, error);
    }
  }
  if (stumps.length > 0) await run.removeAll(tally, 'staging', stumps, call);
  return listed;
}

async function sweepBlob(sweep: BucketSweep, blob: ListedBlob, heads: HeadsByKey, call: Call): Promise<void> {
  const { run, bucket, tally } = sweep;
  const { key, token, record, entry } = blob;
  if (!heads.has(key)) throw new Error(`the head of ${key} cannot be read by this release`);
  const head = heads.get(key);
  const { name, size: bytes } = entry;
  const at = head?.record;
  const isRested = head !== undefined && run.isOlderThan(head.properties.lastModified, run.settings.settleAfterMs);
  const named = namedVersion(at);
  if (named !== token && at?.dels?.includes(token) === true) {
    const mayGo = isRested && (run.isPastGrace(entry) || !mayLandLate(decodeClaim(entry.metadata), record));
    if (mayGo) {
      await run.act(tally, { finding: 'logged', name, bytes }, () =>
        removeDeleted(sweep, blob, RemovalReason.loggedIn(head), call),
      );
    }
    return;
  }
  if (at?.kind === 'assembled' && named === token) {
    if (isRested && canSettle(bucket, at.size)) {
      await run.act(tally, { finding: 'unsettled', name: key }, () => settle({ bucket, key }, call));
    }
    return;
  }
  if (isVisible(head, blob)) {
    const isUnstamped = at?.adds?.includes(token) === true && record?.stamp !== true;
    if (isUnstamped && isRested) {
      await run.act(tally, { finding: 'unstamped', name }, () => stampVersion({ bucket, key }, token, call));
    }
    return;
  }
  if (record?.stamp !== true && run.isPastGrace(entry)) await sweepUnnamed(sweep, blob, call);
}

/** What the head says was deleted: its blob may hold the only note of how an upload ended, and parts staged for it. */
async function removeDeleted(
  { run, bucket }: BucketSweep,
  blob: ListedBlob,
  grounds: RemovalReason,
  call: Call,
): Promise<boolean> {
  const { key, token, ref, entry } = blob;
  if (isUploadToken(token)) {
    await sealKnown({ bucket, key, token }, entry.metadata, call);
    await run.store.discardParts(ref, call);
  }
  return removeListed({ bucket, key }, blob, grounds, call);
}

/** At the revision that was listed, with the record that was listed. */
function removeListed(
  place: KeyRef,
  { token, record, entry }: ListedBlob,
  grounds: RemovalReason,
  call: Call,
): Promise<boolean> {
  return removeKnownBlob(place, { token, record, revision: entry.revision }, grounds, call);
}

/** Past the grace, not stamped, and not named when the heads were listed. The head is asked once more, by itself. */
async function sweepUnnamed(sweep: BucketSweep, blob: ListedBlob, call: Call): Promise<void> {
  const { run, bucket, tally } = sweep;
  const { entry } = blob;
  const head = await headOfKey(bucket, blob.key, call);
  // No head and no container look the same; without the container nothing is known of any key.
  if (head === undefined) await run.store.headContainer(bucket.home.container, call);
  if (isVisible(head, blob) || isCopyOf(head, blob)) return;
  const staging = await stagingOf(sweep, blob, call);
  if (staging === 'open') return;
  if (isLocked(blob.record, run.now)) return keepLocked(sweep, blob, call);
  if (mayHaveBeenPublished(staging) && isLost(sweep, blob, head)) return sweepLost(sweep, blob, call);
  const item = { name: entry.name, bytes: entry.size };
  const place = { bucket, key: blob.key };
  if (staging === 'none') {
    await run.act(tally, { finding: 'versions', ...item }, () =>
      removeListed(place, blob, RemovalReason.unnamed(run.now), call),
    );
  } else {
    await run.act(tally, { finding: 'staging', ...item }, () => removeLeftStaging(sweep, blob, staging, call));
  }
}

/**
 * A copy of the null version as it stands in the head. A writer that displaces it finds the copy, renews its age and
 * names it instead of making another: so only a head that has moved on makes it superfluous.
 */
function isCopyOf(head: Head | undefined, { token }: ListedBlob): boolean {
  return head !== undefined && tokenOfNull(seqOfToken(token), head.properties.revision) === token;
}

/**
 * Whether a cloud tool may have overwritten or removed the head that named it. An object of a bucket with
 * versions whose head we did not write, or that has none; it may as well be a write that was never committed.
 */
function isLost({ bucket }: BucketSweep, { record }: ListedBlob, head: Head | undefined): boolean {
  return bucket.versioning !== 'never' && record?.kind === 'inline' && record.isNull !== true && mayHideVersions(head);
}

/**
 * It may be a version that was cut off from its head, or a write that was never committed; a lock keeps both, for as
 * long as it says. Named in the report.
 */
async function keepLocked(
  { run, bucket, tally }: BucketSweep,
  { key, token, record, entry }: ListedBlob,
  call: Call,
): Promise<void> {
  const { name, size, lastModified } = entry;
  if (run.settings.recoverLost && record?.isNull !== true && bucket.versioning !== 'never') {
    await run.act(tally, { finding: 'recovered', name }, () => stampVersion({ bucket, key }, token, call));
    return;
  }
  tally.count('locked').found += 1;
  tally.name({ key, versionId: token, size, lastModified, locked: true });
}

/** Named in the report; marked when it is first found, removed when that was long ago. */
async function sweepLost({ run, bucket, tally }: BucketSweep, blob: ListedBlob, call: Call): Promise<void> {
  const { key, token, ref, record, entry } = blob;
  const { keepLostMs, recoverLost } = run.settings;
  const { name, size, lastModified, revision, metadata } = entry;
  if (recoverLost) {
    await run.act(tally, { finding: 'recovered', name }, () => stampVersion({ bucket, key }, token, call));
    return;
  }
  if (record?.lostSince !== undefined && run.isOlderThan(record.lostSince, keepLostMs)) {
    await run.act(tally, { finding: 'versions', name, bytes: size }, () =>
      removeListed({ bucket, key }, blob, RemovalReason.unnamed(run.now), call),
    );
    return;
  }
  tally.name({ key, versionId: token, size, lastModified });
  await run.act(tally, { finding: 'lost', name }, async () => {
    if (record === undefined || record.lostSince !== undefined) return;
    const marked = { ...metadata, [RECORD_NAME]: encodeRecord({ ...record, lostSince: run.now }) };
    await run.store.setMetadata(ref, marked, at(revision), call);
  });
}
