import type { BlobEntry } from '../../store/blob-store.ts';
import type { Bucket } from '../records/bucket.ts';
import type { VersionBlob } from '../versions/version-blob.ts';
import type { Tally } from './sweep-report.ts';
import type { SweepRun } from './sweep-run.ts';

/** A bucket that is being swept. */
export interface BucketSweep {
  readonly run: SweepRun;
  readonly bucket: Bucket;
  readonly tally: Tally;
}

/** A version's own blob as it was listed, and the key that its name or its record tells. */
export interface ListedBlob extends VersionBlob {
  readonly key: string;
  readonly entry: BlobEntry;
}
