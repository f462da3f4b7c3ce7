import type { Call } from '../../observe/call.ts';
import { rulesFor } from '../../protocol/notifications/notification-rule.ts';
import { blobsOf } from '../../store/pages.ts';
import type { Objects } from '../objects/objects.ts';
import type { Bucket } from '../records/bucket.ts';
import { recordIn } from '../records/metadata.ts';
import { isRestoredId, parsePieceName, piecesPrefix } from '../records/piece-names.ts';
import { type Restore, isRestored, isRestoring } from '../records/restore.ts';
import { parseVersionName, versionsOfKey } from '../records/version-names.ts';
import type { BucketSweep } from './sweep-run.ts';

type Restores = Pick<Objects, 'find' | 'finishRestore' | 'endRestore'>;

/**
 * Looks after restores: of an object whose bytes are back it writes that down, so that its days begin although no
 * request looks at it; of one whose days are over, if the bucket's owner wants to be told. Nothing to do where archived
 * bytes can be read at once.
 */
export async function sweepRestores(sweep: BucketSweep, objects: Restores, call: Call): Promise<void> {
  const { run, bucket, tally } = sweep;
  if (bucket.home.classes === undefined || !run.store.capabilities.archiveIsOffline) return;
  for await (const page of run.pages(run.system, { prefix: piecesPrefix(bucket) }, call)) {
    const keys = new Set<string>();
    for (const { name } of blobsOf(page)) {
      const piece = parsePieceName(bucket, name);
      if (piece?.key !== undefined && isRestoredId(piece.id)) keys.add(piece.key);
    }
    await run.each([...keys], (key) =>
      run.step(tally, `restores of ${key}`, () => finishRestores(sweep, { objects, key }, call)),
    );
  }
}

async function finishRestores(
  sweep: BucketSweep,
  { objects, key }: { readonly objects: Restores; readonly key: string },
  call: Call,
): Promise<void> {
  const { run, bucket, tally } = sweep;
  for (const versionId of await versionIdsOf(sweep, key, call)) {
    const target = { bucket, key, versionId };
    const view = await objects.find(target, call).catch(() => undefined);
    if (view === undefined) continue;
    if (isEnded(view.restore, run.now) && tellsOfEnds(bucket, key)) {
      await run.act(tally, { finding: 'restores', name: key }, () => objects.endRestore(target, view, call));
      continue;
    }
    if (!isRestoring(view.restore, run.now)) continue;
    await run.act(tally, { finding: 'restores', name: key }, async () => {
      const now = await objects.finishRestore(target, view, call);
      return !isRestoring(now.restore, run.now);
    });
  }
}

/** Reads that began before a restore was over may go on so long, milliseconds. */
const READS_MS = 3_600_000;

/** Nobody reads the restored copies any more. */
export function isEnded(restore: Restore | undefined, now: number): boolean {
  return restore?.until !== undefined && !isRestored(restore, now - READS_MS);
}

/** The owner of the bucket is told when restores of a key are over. */
export function tellsOfEnds({ settings }: Bucket, key: string): boolean {
  return rulesFor(settings.notifications ?? [], 'ObjectRestore:Delete', key).length > 0;
}

/** The current version, and those with blobs of their own whose records speak of a restore. */
async function versionIdsOf(
  { run, bucket }: BucketSweep,
  key: string,
  call: Call,
): Promise<readonly (string | undefined)[]> {
  if (bucket.versioning === 'never') return [undefined];
  const found: (string | undefined)[] = ['null'];
  for await (const page of run.pages(run.system, { prefix: versionsOfKey({ bucket, key }).prefix }, call)) {
    for (const { name, metadata } of blobsOf(page)) {
      const token = parseVersionName(bucket, name)?.token;
      if (token !== undefined && recordIn(metadata)?.restore !== undefined) found.push(token);
    }
  }
  return found;
}
