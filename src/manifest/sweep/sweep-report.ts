/** What a sweep looks for, in the words of its report. */
export const FINDINGS = {
  unsettled: 'multipart objects whose bytes are not at their key yet: settled',
  logged: 'deleted versions and replaced objects whose bytes were still there: removed',
  unstamped: 'versions that were not marked as part of the history yet: marked',
  voids: 'heads of keys without any version: removed',
  versions: 'blobs of versions that no head names: removed',
  lost: 'versions whose head a tool of the cloud may have overwritten or removed: kept for a while',
  locked: 'versions that no head names and object lock holds: kept',
  recovered: 'such versions: made visible again under their ids',
  staging: 'blobs of multipart uploads that are over: removed',
  uploads: 'records of multipart uploads that are over: removed',
  parts: 'records of parts whose upload is over: removed',
  staged: 'parts that were staged and belong to no open upload: removed',
  aborted: 'multipart uploads that were open for too long: aborted',
  tombstones: 'notes of uploads completed long ago: removed',
  index: 'entries of deleted keys that are there again, or gone for good: removed',
  pieces: 'encrypted or archived bytes that nothing refers to, and restored copies whose days are over: removed',
  restores: 'restores of archived objects whose bytes are back, or whose days are over: written down',
  events: 'announcements of changes that no gateway has looked at for as long as events wait: removed',
  written: 'notes of writes under quotas that no quota goes by any more: removed',
  overflow: 'spilled records that nothing refers to: removed',
  buckets: 'buckets that were half made or half deleted, and notes of deleted ones: put right, forgotten',
  deletedBuckets: 'blobs that deleted buckets left behind: removed',
} as const;

export type Finding = keyof typeof FINDINGS;

/** How it went with what was found. A dry run only finds. */
export interface Count {
  found: number;
  done: number;
  /** Changed or gone since it was judged: a request is at work there. */
  left: number;
  failed: number;
  /** Of the blobs among them that are, or would be, removed. */
  bytes: number;
}

/** A version that can be brought back (`recoverLost`) as long as it is kept. */
interface LostVersion {
  readonly key: string;
  readonly versionId: string;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
  /** Object lock holds it: it is kept for as long. */
  readonly locked?: true;
}

/** More of them are counted, not named. */
const MAX_NAMED = 1000;
const MAX_PROBLEMS = 100;

/** What was found in one bucket, or beside all buckets of a backend. */
export class Tally<F extends string = Finding> {
  readonly counts: Partial<Record<F, Count>> = {};
  readonly lost: LostVersion[] = [];
  /** What could not be done, one line each. */
  readonly problems: string[] = [];
  /** Problems beyond those that are named. */
  moreProblems = 0;

  count(finding: F): Count {
    return (this.counts[finding] ??= { found: 0, done: 0, left: 0, failed: 0, bytes: 0 });
  }

  name(version: LostVersion): void {
    if (this.lost.length < MAX_NAMED) this.lost.push(version);
  }

  problem(what: string, error: unknown): void {
    if (this.problems.length < MAX_PROBLEMS) {
      this.problems.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    } else {
      this.moreProblems += 1;
    }
  }

  get hasProblems(): boolean {
    return this.problems.length > 0;
  }
}

export interface BucketReport extends Pick<Tally, 'counts' | 'lost' | 'problems' | 'moreProblems'> {
  readonly name: string;
}

export interface BackendReport extends Pick<Tally, 'counts' | 'problems' | 'moreProblems'> {
  readonly name: string;
  /** Buckets without a finding are not named. */
  readonly buckets: readonly BucketReport[];
  /** Buckets that were looked at. */
  readonly bucketsSeen: number;
}

export interface SweepReport {
  /** ISO 8601. */
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly dryRun: boolean;
  /** False: told to stop before the end. The next sweep begins anew, and finds less. */
  readonly complete: boolean;
  readonly backends: readonly BackendReport[];
}

export function hasProblems({ backends }: SweepReport): boolean {
  return backends.some(
    ({ problems, buckets }) => problems.length > 0 || buckets.some((bucket) => bucket.problems.length > 0),
  );
}
