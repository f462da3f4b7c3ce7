import type { Call } from '../../observe/call.ts';
import type { BlobEntry } from '../../store/blob-store.ts';
import { StoreError } from '../../store/store-error.ts';
import { blobsOf } from '../../store/pages.ts';
import { parseHead } from '../heads/head.ts';
import { redo } from '../versions/displace.ts';
import { keyOfHead } from '../records/names.ts';
import type { BucketSweep } from './sweep-run.ts';

/**
 * Removes voids (heads of keys without any version) in buckets that ever had versioning, once the work in their log is
 * done. The log comes first, then the head; otherwise a deleted version could come back. Delete markers stay: they are
 * versions.
 * @param isStillThere the bucket's name belongs to the same bucket as when the sweep began
 */
export async function sweepHeads(sweep: BucketSweep, isStillThere: () => Promise<boolean>, call: Call): Promise<void> {
  const { run, bucket, tally } = sweep;
  for await (const page of run.pages(bucket.home.container, {}, call)) {
    const rested = blobsOf(page).filter(({ lastModified }) =>
      run.isOlderThan(lastModified, run.settings.settleAfterMs),
    );
    await run.each(rested, (entry) =>
      run.step(tally, entry.name, () => sweepHead(sweep, { entry, isStillThere }, call)),
    );
  }
}

interface HeadEntry {
  readonly entry: BlobEntry;
  readonly isStillThere: () => Promise<boolean>;
}

async function sweepHead(
  { run, bucket, tally }: BucketSweep,
  { entry, isStillThere }: HeadEntry,
  call: Call,
): Promise<void> {
  const ref = { container: bucket.home.container, name: entry.name };
  const head = parseHead(ref, entry);
  if (head.record?.kind !== 'void') return;
  const key = keyOfHead(run.store, entry.name, head.record);
  if (key === undefined) return;
  await run.act(tally, { finding: 'voids', name: key }, async () => {
    await redo({ bucket, key }, head, call);
    // If another bucket has the name by now, the log was worked on in the wrong place.
    if (!(await isStillThere())) throw new StoreError('conditionFailed', { call: 'remove' });
    await run.store.remove(ref, head.properties.revision, call);
  });
}
