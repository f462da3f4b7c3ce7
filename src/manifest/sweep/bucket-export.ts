import type { HeadRecord, OwnRecord } from '../records/record.ts';
import type { Bucket } from '../records/bucket.ts';
import type { Count, Tally } from './sweep-report.ts';
import type { SweepRun } from './sweep-run.ts';

export const EXPORTS = {
  copied: 'objects whose bytes were copied to their key',
  settled: 'multipart objects whose bytes were moved to their key',
  versions: 'noncurrent versions that were copied',
  markers: 'delete markers whose empty blobs were removed',
} as const;

export type Export = keyof typeof EXPORTS;

export interface ExportSettings {
  /** Only this bucket; absent: all. */
  readonly bucket?: string;
  /** Only keys that start with it. */
  readonly prefix: string;
  /** Copies noncurrent versions too, of key K to `<this>K/<version id>`; absent: does not. */
  readonly versionsUnder?: string;
  /** Removes the empty blobs that stand for deleted keys. Only when no gateway serves the bucket any more. */
  readonly dropMarkers: boolean;
  readonly dryRun: boolean;
  readonly concurrency: number;
}

/** One bucket on its way. */
export interface BucketExport {
  readonly run: SweepRun;
  readonly bucket: Bucket;
  readonly tally: Tally<Export>;
  readonly settings: ExportSettings;
}

/** @throws Error: archived bytes, and bytes under a key of their own, are no copy away */
export function requirePlain(record: HeadRecord | OwnRecord | undefined): void {
  if (record === undefined || !('encryption' in record)) return;
  if (record.encryption.by.kind === 'archive') {
    throw new Error('its bytes are archived: restore it, and copy it onto itself as STANDARD');
  }
  throw new Error('its bytes are encrypted with a key of their own: read it by S3, with that key');
}

export interface ExportReport {
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly complete: boolean;
  readonly buckets: readonly {
    readonly backend: string;
    readonly name: string;
    /** What was already as it should be is not counted. */
    readonly counts: Readonly<Partial<Record<Export, Count>>>;
    readonly problems: readonly string[];
    readonly moreProblems: number;
  }[];
}

export function exportReport(
  done: readonly BucketExport[],
  {
    startedAt,
    finishedAt,
    complete,
  }: { readonly startedAt: number; readonly finishedAt: number; readonly complete: boolean },
): ExportReport {
  return {
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: new Date(finishedAt).toISOString(),
    complete,
    buckets: done.map(({ run, bucket, tally: { counts, problems, moreProblems } }) => ({
      backend: run.backend.name,
      name: bucket.name,
      counts,
      problems,
      moreProblems,
    })),
  };
}
