import type { Call } from '../../observe/call.ts';
import { mapConcurrent } from '../../streams/map-concurrent.ts';
import type { BucketRegistry } from '../buckets/buckets.ts';
import type { Listing } from '../listing/listing.ts';
import type { Uploads } from '../uploads/uploads.ts';
import type { PageWork } from '../passes/bucket-turns.ts';
import type { PassKind, PassProgress } from '../passes/pass-lease.ts';
import type { Bucket } from '../records/bucket.ts';
import { isMoment, isText } from '../records/record-checks.ts';
import { isUsageCount, NO_USAGE, type UsageCount } from '../records/usage-record.ts';
import { keepUsage } from './usage-records.ts';
import { UsageTally } from './usage-tally.ts';

/**
 * Parts of open uploads are counted before versions, so that an upload that is completed meanwhile counts twice rather
 * than not at all.
 */
const PHASES = ['parts', 'versions', 'over'] as const;

/** How far a count has come, and what it has counted by then. */
export interface UsageProgress extends PassProgress {
  readonly phase: (typeof PHASES)[number];
  /** Everything up to this key was counted, or up to the version or upload of it that stands beside; empty: nothing. */
  readonly after: string;
  readonly afterVersion?: string;
  readonly afterUpload?: string;
  readonly count: UsageCount;
}

const isTextOrAbsent = (value: unknown): boolean => value === undefined || isText(value);

const USAGE_PASS: PassKind<UsageProgress> = {
  name: 'usage',
  isProgress: (json): json is UsageProgress => {
    const said = (json ?? {}) as Partial<Record<keyof UsageProgress, unknown>>;
    const { startedAt, phase, after, afterVersion, afterUpload, count } = said;
    return (
      isMoment(startedAt) &&
      PHASES.some((known) => known === phase) &&
      isText(after) &&
      [afterVersion, afterUpload].every(isTextOrAbsent) &&
      isUsageCount(count)
    );
  },
};

/** A pass that another run has begun longer ago is not gone on with: its count would be old at once. Milliseconds. */
const MAX_RESUMED_MS = 24 * 60 * 60_000;
/** Names on one page of versions. */
const VERSIONS = 1000;
/** Uploads on one page, each with list calls of its own: a page must be over long before the claim is. */
const UPLOADS = 100;
/** Parts of an upload on one page. */
const PARTS = 10_000;
/** Uploads whose parts are listed at a time. */
const CONCURRENCY = 8;

/** What a count goes by. */
export interface UsageManifest {
  readonly buckets: Pick<BucketRegistry, 'get'>;
  readonly listing: Pick<Listing, 'versions'>;
  readonly uploads: Pick<Uploads, 'list' | 'listParts'>;
}

interface UsagePassOptions {
  readonly manifest: UsageManifest;
  /** Told what was counted when all was. */
  readonly onCounted: (count: UsageCount) => void;
}

/**
 * Counts what lies in one bucket, page by page, by what ListMultipartUploads, ListParts and ListObjectVersions show. A
 * bucket that nobody changes meanwhile is counted exactly, also by several processes one after the other.
 */
export class UsagePass implements PageWork<UsageProgress> {
  readonly kind = USAGE_PASS;
  readonly #bucket: Bucket;
  readonly #options: UsagePassOptions;
  /** When the pass began that this run works on. */
  #startedAt: number | undefined;

  constructor(bucket: Bucket, options: UsagePassOptions) {
    this.#bucket = bucket;
    this.#options = options;
  }

  beginning(now: number): UsageProgress {
    return { startedAt: now, phase: 'parts', after: '', count: NO_USAGE };
  }

  async page(progress: UsageProgress, now: number, call: Call): Promise<UsageProgress> {
    const bucket = await this.#options.manifest.buckets.get(this.#bucket.name, call);
    // Another one has its name now: there is nothing left to count.
    if (bucket.uid !== this.#bucket.uid) return { ...progress, phase: 'over' };
    const isTaken = this.#startedAt !== progress.startedAt;
    const from = isTaken && now - progress.startedAt > MAX_RESUMED_MS ? this.beginning(now) : progress;
    this.#startedAt = from.startedAt;
    if (from.phase === 'parts') return this.#uploads(bucket, from, call);
    const reached = await this.#versions(bucket, from, call);
    if (reached.phase !== 'over') return reached;
    const { startedAt, count } = reached;
    const { name, ownerId } = bucket;
    await keepUsage(bucket, { bucket: name, ownerId, startedAt, finishedAt: now, ...count }, call);
    this.#options.onCounted(count);
    return reached;
  }

  async #versions(bucket: Bucket, progress: UsageProgress, call: Call): Promise<UsageProgress> {
    const { startedAt, after, afterVersion, count } = progress;
    const from = {
      prefix: '',
      delimiter: '',
      after,
      limit: VERSIONS,
      ...(afterVersion !== undefined && { afterVersion }),
    };
    const { entries, next, nextVersion } = await this.#options.manifest.listing.versions(bucket, from, call);
    const tally = new UsageTally(count);
    for (const entry of entries) tally.entry(entry);
    const counted = { startedAt, count: tally.count };
    if (next === undefined) return { ...counted, phase: 'over', after: '' };
    return {
      ...counted,
      phase: 'versions',
      after: next,
      ...(nextVersion !== undefined && { afterVersion: nextVersion }),
    };
  }

  async #uploads(bucket: Bucket, progress: UsageProgress, call: Call): Promise<UsageProgress> {
    const { startedAt, after, afterUpload, count } = progress;
    const { uploads } = this.#options.manifest;
    const from = after === '' ? {} : { afterKey: after, ...(afterUpload !== undefined && { afterUpload }) };
    const page = await uploads.list(bucket, { prefix: '', limit: UPLOADS, ...from }, call);
    const found = page.entries.filter((entry) => entry.kind === 'upload');
    const tally = new UsageTally(count);
    await mapConcurrent(found, CONCURRENCY, async ({ uploadId }) =>
      tally.upload(await this.#partsOf({ bucket, uploadId }, call)),
    );
    const counted = { startedAt, count: tally.count };
    const last = found.at(-1);
    if (!page.isTruncated || last === undefined) return { ...counted, phase: 'versions', after: '' };
    return { ...counted, phase: 'parts', after: last.key, afterUpload: last.uploadId };
  }

  async #partsOf(
    upload: { readonly bucket: Bucket; readonly uploadId: string },
    call: Call,
  ): Promise<readonly { readonly size: number }[]> {
    const { parts } = await this.#options.manifest.uploads.listParts(upload, { after: 0, limit: PARTS }, call);
    return parts;
  }
}
