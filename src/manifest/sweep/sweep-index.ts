import type { Call } from '../../observe/call.ts';
import { decodeOrdered, isCutEncoding } from '../../store/key-codec.ts';
import type { BlobEntry } from '../../store/blob-store.ts';
import { blobsOf } from '../../store/pages.ts';
import { isLive } from '../heads/head.ts';
import { RECORD_NAME, decodeRecord } from '../records/record.ts';
import { deletionsPrefix } from '../records/version-names.ts';
import { headsOfKeys } from '../heads/heads-of-keys.ts';
import type { BucketSweep } from './sweep-run.ts';

/**
 * The index of keys that may be deleted. An entry goes when it is past the grace and the head, read after it, is
 * live or absent; every DELETE writes its entry anew before it changes the head, so then this removal fails.
 */
export async function sweepIndex({ run, bucket, tally }: BucketSweep, call: Call): Promise<void> {
  const prefix = deletionsPrefix(bucket);
  for await (const page of run.pages(run.system, { prefix }, call)) {
    const old = blobsOf(page).filter((entry) => run.isPastGrace(entry));
    const keys = new Map(old.map((entry) => [entry, keyOf(prefix, entry)]));
    const heads = await headsOfKeys(
      bucket,
      [...keys.values()].filter((key) => key !== undefined),
      run.settings,
      call,
    );
    const unneeded = old.filter((entry) => {
      const key = keys.get(entry);
      if (key === undefined) return false;
      const head = heads.get(key);
      return head === undefined || isLive(head);
    });
    await run.removeAll(tally, 'index', unneeded, call);
  }
}

function keyOf(prefix: string, { name, metadata }: BlobEntry): string | undefined {
  const encoded = name.slice(prefix.length);
  return isCutEncoding(encoded) ? decodeRecord(metadata[RECORD_NAME] ?? '')?.key : decodeOrdered(encoded);
}
