import type { Call } from '../../observe/call.ts';
import type { BlobEntry, BlobStore, ListEntry, ListRequest } from '../../store/blob-store.ts';
import { pagesOf } from '../../store/pages.ts';
import { isStoreError } from '../../store/store-error.ts';
import { mapConcurrent } from '../../streams/map-concurrent.ts';
import type { Backend } from '../buckets/realm.ts';
import type { Finding, Tally } from './sweep-report.ts';
import type { Bucket } from '../records/bucket.ts';
import type { VersionBlob } from '../versions/version-blob.ts';

/** Entries of one list call: each may carry eight kilobytes of metadata, and no more than a page is held. */
const PAGE = 1000;
/** Removals in one call of `removeMany`. */
const BATCH = 256;

/** Something that was found and can be put right. */
interface Item<F extends string = Finding> {
  readonly finding: F;
  /** For the line that says why it could not be done. */
  readonly name: string;
  /** What its removal frees. */
  readonly bytes?: number;
}

/** A sweep of one backend: its settings, its clock and its store. */
export class SweepRun {
  readonly settings: SweepSettings;
  readonly backend: Backend;
  /** Everything is as old as it was then, so that nothing comes of age between two looks. Milliseconds. */
  readonly now: number;

  constructor(settings: SweepSettings, backend: Backend, now: number) {
    this.settings = settings;
    this.backend = backend;
    this.now = now;
  }

  get store(): BlobStore {
    return this.backend.store;
  }

  get system(): string {
    return this.backend.systemContainer;
  }

  isOlderThan(lastModified: number, age: number): boolean {
    return lastModified < this.now - age;
  }

  /** Old enough to be removed if no head names it. */
  isPastGrace({ lastModified }: Pick<BlobEntry, 'lastModified'>): boolean {
    return this.isOlderThan(lastModified, this.settings.graceMs);
  }

  pages(
    container: string,
    request: Omit<ListRequest, 'limit' | 'token'>,
    call: Call,
  ): AsyncGenerator<readonly ListEntry[], void> {
    return pagesOf(this.store, container, { ...request, pageSize: PAGE }, call);
  }

  /** Works on the items of a page, a bounded number at a time. */
  async each<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
    await mapConcurrent(items, this.settings.concurrency, work);
  }

  /**
   * Puts one thing right, unless this is a dry run. What has changed since it was judged is left alone; any
   * other failure is noted and does not end the sweep.
   * @param work returns false when there was nothing to do any more
   */
  async act<F extends string>(
    tally: Tally<F>,
    { finding, name, bytes = 0 }: Item<F>,
    work: () => Promise<unknown>,
  ): Promise<void> {
    const count = tally.count(finding);
    count.found += 1;
    count.bytes += bytes;
    if (this.settings.dryRun) return;
    try {
      if ((await work()) === false) count.left += 1;
      else count.done += 1;
    } catch (error) {
      if (isStoreError(error, 'aborted')) throw error;
      if (isStoreError(error, 'conditionFailed', 'notFound')) {
        count.left += 1;
        return;
      }
      count.failed += 1;
      tally.problem(name, error);
    }
  }

  /** Removes blobs of the system container at the revisions at which they were judged. */
  async removeAll(tally: Tally, finding: Finding, entries: readonly BlobEntry[], call: Call): Promise<void> {
    if (entries.length === 0) return;
    const count = tally.count(finding);
    for (let first = 0; first < entries.length; first += BATCH) {
      const batch = entries.slice(first, first + BATCH);
      count.found += batch.length;
      for (const { size } of batch) count.bytes += size;
      if (this.settings.dryRun) continue;
      const outcomes = await this.store.removeMany(
        this.system,
        batch.map(({ name, revision }) => ({ name, revision })),
        call,
      );
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome === 'removed') {
          count.done += 1;
        } else if (!(outcome instanceof Error)) {
          count.left += 1;
        } else {
          count.failed += 1;
          tally.problem(batch[index]?.name ?? '', outcome);
        }
      }
    }
  }

  /** One step of the sweep. The others do not depend on it, unless they ask. @returns whether it came to its end */
  async step(tally: Tally<string>, what: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (isStoreError(error, 'aborted')) throw error;
      tally.problem(what, error);
      return false;
    }
  }
}

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

const HOUR_MS = 3_600_000;

/**
 * Nothing that no head names goes before it is this old: longer than any writer takes between the last write of
 * a private blob and the head that names it (docs/decisions/0002-commit-protocol.md).
 */
export const GRACE_MS = 24 * HOUR_MS;

/** What one sweep may do, and when. Times in milliseconds. */
export interface SweepSettings {
  /** Least age of what is removed; `GRACE_MS` or more, but for tests. */
  readonly graceMs: number;
  /** Age from which work that a request left behind the answer is done in its place: settling, logs, voids. */
  readonly settleAfterMs: number;
  /** Least age of what says that an upload was completed; a repeated Complete is answered as long as it is there. */
  readonly tombstoneMs: number;
  /** How long quotas go by a count, and by what was written since. */
  readonly quotaAgeMs: number;
  /** How long events wait for their receivers, and announcements for somebody who looks at them. */
  readonly eventAgeMs: number;
  /** How long a version whose head a tool of the cloud may have overwritten is kept after it was first found. */
  readonly keepLostMs: number;
  /** Open uploads initiated longer ago are aborted; absent: none. */
  readonly uploadsOlderThanMs?: number;
  /** Change nothing, say what would be done. */
  readonly dryRun: boolean;
  /** Makes lost versions part of their keys' histories again instead of waiting for an operator to do it. */
  readonly recoverLost: boolean;
  /** Only the bucket of this name. Leftovers that cannot be told to belong to it are left alone then. */
  readonly bucket?: string;
  /** Backend calls under way at a time. */
  readonly concurrency: number;
}

export const SWEEP_DEFAULTS: SweepSettings = {
  graceMs: GRACE_MS,
  settleAfterMs: HOUR_MS / 6,
  tombstoneMs: GRACE_MS,
  keepLostMs: 7 * GRACE_MS,
  quotaAgeMs: 3 * GRACE_MS,
  eventAgeMs: 3 * GRACE_MS,
  dryRun: false,
  recoverLost: false,
  concurrency: 16,
};
