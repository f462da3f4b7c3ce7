import { S3Error } from '../../errors/s3-error.ts';
import { CLOCK_SLACK_MS, totalOf } from '../records/usage-record.ts';
import type { KnownUsage } from './usage-records.ts';
import { type WrittenAmount, writtenSince } from './write-ledger.ts';

/** What may lie in a bucket, or in all buckets of an account. */
export interface Quota {
  /** Absent: any number. The same for objects, each version of which counts. */
  readonly bytes?: number | undefined;
  readonly objects?: number | undefined;
}

/** What a quota is about, by its name in the configuration. */
export interface QuotaOwner {
  readonly kind: 'bucket' | 'account';
  readonly name: string;
}

export const MEASURES = ['bytes', 'objects'] as const;

/** What is known of a bucket or account at a moment. */
interface Snapshot extends WrittenAmount {
  /** When the oldest pass began whose count there is, milliseconds; undefined: there is none. */
  readonly countedAt: number | undefined;
  /** There are counts, and all of them are too old. */
  readonly isStale: boolean;
}

interface SnapshotOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** A count that is older is not gone by, and what was written longer ago is forgotten. */
  readonly maxAgeMs: number;
  /** The id of this process: what others know of it is older than what it knows. */
  readonly writer: string;
  /** What this process has written into the bucket. */
  readonly ownSpans: (uid: string) => Parameters<typeof writtenSince>[0];
}

/**
 * Adds up what a pass has counted and what was written since, over some buckets. A bucket whose count is too old is one
 * without a count: it must not fill up an account for ever.
 */
export function snapshotOf(known: readonly KnownUsage[], options: SnapshotOptions): Snapshot {
  const { now, maxAgeMs, writer, ownSpans } = options;
  let bytes = 0;
  let objects = 0;
  const startedAt = known.flatMap(({ counted }) => (counted === undefined ? [] : [counted.startedAt]));
  const oldest = now - maxAgeMs;
  for (const { uid, counted, written } of known) {
    const total = counted === undefined || counted.startedAt < oldest ? { bytes: 0, objects: 0 } : totalOf(counted);
    const since = Math.max((counted?.startedAt ?? -Infinity) - CLOCK_SLACK_MS, oldest);
    const others = [...written].filter(([id]) => id !== writer).map(([, { spans }]) => spans);
    for (const part of [total, ...[...others, ownSpans(uid)].map((spans) => writtenSince(spans, since))]) {
      bytes += part.bytes;
      objects += part.objects;
    }
  }
  const isStale = startedAt.length > 0 && startedAt.every((at) => at < oldest);
  return { bytes, objects, isStale, countedAt: startedAt.length > 0 ? Math.min(...startedAt) : undefined };
}

/** A quota as one process sees it: what is known, and what this process has let in since it last asked. */
export class QuotaScope {
  readonly owner: QuotaOwner;
  quota: Quota = {};
  /** Requests that were refused, and those that passed because the count was too old. */
  refused = 0;
  unjudged = 0;
  #snapshot: Snapshot | undefined;
  /** Let in since the snapshot, and those of them that are under way. */
  #added = { bytes: 0, objects: 0 };
  #underWay = { bytes: 0, objects: 0 };

  constructor(owner: QuotaOwner) {
    this.owner = owner;
  }

  /** What is used, with requests under way. */
  get used(): WrittenAmount {
    const { bytes = 0, objects = 0 } = this.#snapshot ?? {};
    return { bytes: bytes + this.#added.bytes, objects: objects + this.#added.objects };
  }

  get countedAt(): number | undefined {
    return this.#snapshot?.countedAt;
  }

  get isIdle(): boolean {
    return this.#underWay.bytes === 0 && this.#underWay.objects === 0;
  }

  /** Of the limit that is nearest; 1: it is reached. */
  get share(): number {
    const { used, quota } = this;
    return Math.max(0, ...MEASURES.map((of) => (quota[of] === undefined ? 0 : used[of] / Math.max(1, quota[of]))));
  }

  /** @param snapshot with everything that this process has written and that is over */
  renew(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    this.#added = { ...this.#underWay };
  }

  /** @throws S3Error QuotaExceeded: it would be more than the quota */
  judge(addition: WrittenAmount): void {
    if (this.#snapshot?.isStale === true) {
      this.unjudged += 1;
      return;
    }
    const { used, quota } = this;
    const isOver = MEASURES.some((of) => {
      const limit = quota[of];
      return limit !== undefined && addition[of] > 0 && used[of] + addition[of] > limit;
    });
    if (!isOver) return;
    this.refused += 1;
    throw new S3Error('QuotaExceeded', {
      extra: this.owner.kind === 'bucket' ? { BucketName: this.owner.name } : { Account: this.owner.name },
    });
  }

  begin({ bytes, objects }: WrittenAmount): void {
    for (const sums of [this.#added, this.#underWay]) {
      sums.bytes += bytes;
      sums.objects += objects;
    }
  }

  /** @param isWritten false: nothing of it is there */
  end({ bytes, objects }: WrittenAmount, isWritten: boolean): void {
    for (const sums of isWritten ? [this.#underWay] : [this.#underWay, this.#added]) {
      sums.bytes -= bytes;
      sums.objects -= objects;
    }
  }
}
