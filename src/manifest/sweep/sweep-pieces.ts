import type { Call } from '../../observe/call.ts';
import type { BlobEntry } from '../../store/blob-store.ts';
import { blobsOf } from '../../store/pages.ts';
import { headsOfKeys } from '../heads/heads-of-keys.ts';
import { type Head, recordIsHere } from '../heads/head.ts';
import { withOverflow } from '../heads/overflow.ts';
import { recordIn } from '../records/metadata.ts';
import type { Piece } from '../records/encryption.ts';
import { parsePieceName, piecesPrefix, restoredId } from '../records/piece-names.ts';
import { type Restore, isRestoring } from '../records/restore.ts';
import type { HeadRecord, LooseRecord, OwnRecord } from '../records/record.ts';
import { versionOfUpload } from '../records/upload-id.ts';
import { parseUploadName, uploadsPrefix } from '../records/upload-names.ts';
import { parseVersionName, versionsOfKey } from '../records/version-names.ts';
import { parseVersion } from '../versions/version-blob.ts';
import { isEnded, tellsOfEnds } from './sweep-restores.ts';
import type { BucketSweep } from './sweep-run.ts';

/** How many pieces are looked up at a time. The uploads of the bucket are listed once for each such group. */
const BATCH = 20_000;

interface OldPiece {
  readonly entry: BlobEntry;
  readonly key: string;
  readonly token: string;
  readonly id: string;
  readonly isNote: boolean;
}

/**
 * Removes encrypted and archived bytes that nothing refers to: those of writes that failed or were overwritten, of
 * parts that were replaced, and of restores that are over. After the grace period a piece belongs to an open upload, to
 * the head, or to a version. They are read in this order, because a piece moves from one to the next in this order. If
 * one of them cannot be read, its pieces stay.
 */
export async function sweepPieces(sweep: BucketSweep, call: Call): Promise<void> {
  const { run, bucket } = sweep;
  let old: OldPiece[] = [];
  let noted: { readonly folder: string; readonly key: string | undefined } | undefined;
  for await (const page of run.pages(run.system, { prefix: piecesPrefix(bucket) }, call)) {
    for (const entry of blobsOf(page)) {
      const parsed = parsePieceName(bucket, entry.name);
      if (parsed === undefined) continue;
      const { token, id, isNote } = parsed;
      const folder = entry.name.slice(0, -id.length);
      if (isNote) noted = { folder, key: recordIn(entry.metadata)?.key };
      const key = parsed.key ?? (noted?.folder === folder ? noted.key : undefined);
      if (key !== undefined && run.isPastGrace(entry)) old.push({ entry: lean(entry), key, token, id, isNote });
    }
    if (old.length < BATCH) continue;
    await sweepUnowned(sweep, old, call);
    old = [];
  }
  if (old.length > 0) await sweepUnowned(sweep, old, call);
}

async function sweepUnowned(sweep: BucketSweep, old: readonly OldPiece[], call: Call): Promise<void> {
  const { run, bucket, tally } = sweep;
  const open = await openUploads(sweep, call);
  const candidates = old.filter(({ token }) => !open.has(token));
  const byKey = Map.groupBy(candidates, ({ key }) => key);
  const heads = await headsOfKeys(bucket, [...byKey.keys()].sort(), run.settings, call);
  const unowned: BlobEntry[] = [];
  await run.each([...byKey], async ([key, pieces]) => {
    try {
      if (!heads.has(key)) throw new Error('its head cannot be read');
      const used = await usedBy(sweep, { key, head: heads.get(key) }, call);
      unowned.push(...pieces.filter((piece) => !isUsed(piece, used.get(piece.token))).map(({ entry }) => entry));
    } catch (error) {
      tally.problem(`encrypted bytes of ${key}`, error);
    }
  });
  await run.removeAll(tally, 'pieces', unowned, call);
}

function isUsed({ id, isNote }: OldPiece, used: ReadonlySet<string> | undefined): boolean {
  return used !== undefined && (isNote || used.has(id));
}

/** Tokens of all uploads that are open. */
async function openUploads({ run, bucket }: BucketSweep, call: Call): Promise<Set<string>> {
  const tokens = new Set<string>();
  for await (const page of run.pages(run.system, { prefix: uploadsPrefix(bucket) }, call)) {
    for (const { name } of blobsOf(page)) {
      const named = parseUploadName(bucket, name);
      if (named === undefined) throw new Error(`${name} is no record of an upload that this release can read`);
      tokens.add(versionOfUpload(named.uploadId));
    }
  }
  return tokens;
}

/** Ids of pieces in use, by their tokens. */
type UsedPieces = Map<string, Set<string>>;

async function usedBy(
  { run, bucket }: BucketSweep,
  { key, head }: { readonly key: string; readonly head: Head | undefined },
  call: Call,
): Promise<UsedPieces> {
  const used: UsedPieces = new Map();
  const isNeeded = (restore: Restore): boolean =>
    isRestoring(restore, run.now) ||
    (restore.until !== undefined && (!isEnded(restore, run.now) || tellsOfEnds(bucket, key)));
  if (head !== undefined) note(used, (await withOverflow(bucket.home, head, call)).record, isNeeded);
  // Versions may exist by now although there were none when the bucket was looked at.
  if (bucket.versioning === 'never' && (head === undefined || recordIsHere(head))) return used;
  const { prefix } = versionsOfKey({ bucket, key });
  for await (const page of run.pages(run.system, { prefix }, call)) {
    for (const entry of blobsOf(page)) {
      const named = parseVersionName(bucket, entry.name);
      if (named === undefined) continue;
      const version = parseVersion({ container: run.system, name: entry.name }, named.token, entry);
      if (version.record === undefined) continue;
      note(used, (await withOverflow(bucket.home, version, call)).record, isNeeded);
    }
  }
  return used;
}

function note(
  used: UsedPieces,
  record: HeadRecord | OwnRecord | undefined,
  isNeeded: (restore: Restore) => boolean,
): void {
  const { encryption, pieces = [], restore } = (record ?? {}) as Partial<LooseRecord>;
  if (encryption === undefined) return;
  noteIds(used, encryption.token, pieces, (id) => id);
  if (restore?.token !== undefined && isNeeded(restore)) noteIds(used, restore.token, pieces, restoredId);
}

function noteIds(used: UsedPieces, token: string, pieces: readonly Piece[], idOf: (id: string) => string): void {
  const ids = used.get(token) ?? new Set<string>();
  used.set(token, ids);
  for (const { id } of pieces) ids.add(idOf(id));
}

/** What is kept of each piece until all owners have been looked for. */
function lean({ name, size, revision, lastModified }: BlobEntry): BlobEntry {
  return { kind: 'blob', name, size, revision, lastModified, metadata: {} };
}
