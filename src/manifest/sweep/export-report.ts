import type { Count } from './sweep-report.ts';
import type { BucketExport, Export } from './bucket-export.ts';

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
