/*
 * Quotas. Begin here: `admit`. `quota-scope.ts` judges, by what a pass has counted and what processes have written
 * since (`written-buckets.ts`); all of that lies in `usage-records.ts`. Why it is done so:
 * docs/decisions/0049-usage-and-quotas.md.
 */
import type { Call } from '../../observe/call.ts';
import { awaitShared } from '../buckets/bucket-cache.ts';
import type { Backend } from '../buckets/realm.ts';
import type { Bucket } from '../records/bucket.ts';
import { type Time, timeOf } from '../records/time.ts';
import { usageOfAccount, usageOfBucket, type WrittenSpan } from '../records/usage-record.ts';
import { levelOfAccount, levelOfBucket, type LevelPlace, percentOf, type TellQuota } from './quota-levels.ts';
import { QuotaNotices } from './quota-notices.ts';
import { type Quota, QuotaScope, snapshotOf } from './quota-scope.ts';
import { type KnownUsage, readUsage } from './usage-records.ts';
import type { WrittenAmount } from './write-ledger.ts';
import { type ReadRecords, WrittenBuckets } from './written-buckets.ts';

interface QuotasOptions {
  readonly backends: readonly Backend[];
  /** By the bucket's own name; undefined: it has none. */
  readonly ofBucket: (name: string) => Quota | undefined;
  /** Of all buckets of an account together, by its canonical id. */
  readonly ofAccount: (ownerId: string) => { readonly name: string; readonly quota: Quota } | undefined;
  /** A process goes by what others have written for so long, and tells them what it has written after so long. */
  readonly exchangeMs: number;
  /** A count that is older is not gone by. */
  readonly maxAgeMs: number;
  /** For what serves no request. */
  readonly newCall: () => Call;
  readonly onProblem: (error: unknown) => void;
  /** Told when this process finds a quota used by 80 percent, and when by all. */
  readonly onLevel: (scope: QuotaScope, percent: number) => void;
  /** Tells the operator once, whichever process has found it; absent: the operator is told nothing. */
  readonly tell?: TellQuota | undefined;
}

/** A request that has been let in. */
export interface AdmittedWrite {
  /** The request adds more than was known. @throws S3Error QuotaExceeded */
  grow(bytes: number): void;
  /** To be called once. @param isWritten false: what it would have added is not there */
  end(isWritten: boolean): void;
}

interface Watched {
  readonly scope: QuotaScope;
  /** Reads what is known of the buckets. */
  readonly read: (call: Call) => Promise<Omit<ReadRecords, 'askedAt'>>;
  readonly isOfScope: (bucket: Bucket) => boolean;
  readonly level: LevelPlace;
  /** When it was last read, by the monotonic clock. */
  readAt: number;
  reading: Promise<void> | undefined;
  /** Of the quota's levels, as this process knows it. */
  percent: number;
}

/** What is known of a scope only when it is used. */
type WatchState = 'readAt' | 'reading' | 'percent';

/** A request waits so long for what is read anew; then it goes by what is known. */
const PATIENCE_MS = 1000;
/** More scopes than this are looked through for idle ones. */
const MANY_SCOPES = 900;

/** The quotas of buckets and accounts, as one process of several applies them. */
export class Quotas {
  readonly #options: QuotasOptions;
  readonly #time: Time;
  readonly #written: WrittenBuckets;
  readonly #notices: QuotaNotices | undefined;
  readonly #watched = new Map<string, Watched>();

  constructor(options: QuotasOptions) {
    const { tell } = options;
    this.#options = options;
    this.#time = timeOf(options.backends[0] ?? {});
    this.#written = new WrittenBuckets({ ...options, time: this.#time });
    this.#notices = tell && new QuotaNotices({ ...options, tell, time: this.#time });
  }

  /** All that this process has judged by. */
  get scopes(): readonly QuotaScope[] {
    return [...this.#watched.values()].map(({ scope }) => scope);
  }

  /** Whether there is a quota for the bucket, or for its owner. */
  isFor({ name, ownerId }: Bucket): boolean {
    const { ofBucket, ofAccount } = this.#options;
    return ofBucket(name) !== undefined || ofAccount(ownerId) !== undefined;
  }

  /**
   * Lets a request in that adds something to a bucket. One list call for each of its quotas, unless it was made less
   * than `exchangeMs` ago.
   * @throws S3Error QuotaExceeded; StoreError, if nothing is known and nothing can be read
   */
  async admit(bucket: Bucket, addition: WrittenAmount, call: Call): Promise<AdmittedWrite> {
    const watched = this.#watchedOf(bucket);
    for (const one of watched) await this.#refresh(one, call);
    for (const { scope } of watched) scope.judge(addition);
    return this.#begin(bucket, watched, addition);
  }

  /** Tells others what is not told yet. To be called when no request is under way any more. */
  async close(): Promise<void> {
    await Promise.all([this.#written.close(), this.#notices?.close()]);
  }

  #begin(bucket: Bucket, watched: readonly Watched[], { bytes, objects }: WrittenAmount): AdmittedWrite {
    let addition = { bytes, objects };
    let isOver = false;
    for (const { scope } of watched) scope.begin(addition);
    this.#noteLevels(watched, false);
    return {
      grow: (more) => {
        const growth = { bytes: more, objects: 0 };
        for (const { scope } of watched) scope.judge(growth);
        for (const { scope } of watched) scope.begin(growth);
        addition = { bytes: addition.bytes + more, objects };
      },
      end: (isWritten) => {
        if (isOver) return;
        isOver = true;
        if (isWritten) this.#written.note(bucket, addition);
        for (const { scope } of watched) scope.end(addition, isWritten);
      },
    };
  }

  #watchedOf(bucket: Bucket): Watched[] {
    const { ofBucket, ofAccount } = this.#options;
    const quota = ofBucket(bucket.name);
    const account = ofAccount(bucket.ownerId);
    return [
      ...(quota === undefined ? [] : [this.#bucketScope(bucket, quota)]),
      ...(account === undefined ? [] : [this.#accountScope(bucket.ownerId, account)]),
    ];
  }

  #bucketScope(bucket: Bucket, quota: Quota): Watched {
    const { home, uid, name } = bucket;
    const isOfScope = (other: Bucket): boolean => other.uid === uid;
    return this.#watch(`bucket ${uid}`, quota, () => ({
      scope: new QuotaScope({ kind: 'bucket', name }),
      read: async (call) => ({ known: await readUsage(home, usageOfBucket(bucket), call), isCovered: isOfScope }),
      isOfScope,
      level: levelOfBucket(bucket),
    }));
  }

  #accountScope(ownerId: string, { name, quota }: { readonly name: string; readonly quota: Quota }): Watched {
    const isOfScope = (bucket: Bucket): boolean => bucket.ownerId === ownerId;
    return this.#watch(`account ${ownerId}`, quota, () => ({
      scope: new QuotaScope({ kind: 'account', name }),
      read: this.#readerOfAccount(ownerId, isOfScope),
      isOfScope,
      level: levelOfAccount(ownerId, this.#options.backends),
    }));
  }

  /** Of a backend that fails, what it has answered last goes on counting: writes into others do not depend on it. */
  #readerOfAccount(ownerId: string, isOfScope: Watched['isOfScope']): Watched['read'] {
    const { backends, onProblem } = this.#options;
    const parts = new Map<string, readonly KnownUsage[]>();
    return async (call) => {
      const failed = new Set<string>();
      const readPart = async ({ name, store, systemContainer: system }: Backend): Promise<void> => {
        try {
          parts.set(name, await readUsage({ store, system }, usageOfAccount(ownerId), call));
        } catch (error) {
          if (!parts.has(name) || call.signal.aborted) throw error;
          failed.add(name);
          onProblem(error);
        }
      };
      await Promise.all(backends.map(readPart));
      return {
        known: [...parts.values()].flat(),
        isCovered: (bucket) => isOfScope(bucket) && !failed.has(bucket.home.backend),
      };
    };
  }

  #watch(id: string, quota: Quota, make: () => Omit<Watched, WatchState>): Watched {
    let watched = this.#watched.get(id);
    if (watched === undefined) {
      if (this.#watched.size >= MANY_SCOPES) this.#forgetIdle();
      watched = { ...make(), readAt: -Infinity, reading: undefined, percent: 0 };
      this.#watched.set(id, watched);
    }
    watched.scope.quota = quota;
    return watched;
  }

  #forgetIdle(): void {
    const now = this.#time.monotonic();
    for (const [id, { scope, readAt, reading }] of this.#watched) {
      if (scope.isIdle && reading === undefined && now - readAt > this.#options.exchangeMs) this.#watched.delete(id);
    }
  }

  /** Requests that come while it is read wait for it together. */
  async #refresh(watched: Watched, call: Call): Promise<void> {
    const { exchangeMs, newCall, onProblem } = this.#options;
    if (this.#time.monotonic() - watched.readAt < exchangeMs) return;
    const isKnown = Number.isFinite(watched.readAt);
    watched.reading ??= this.#read(watched, newCall()).finally(() => (watched.reading = undefined));
    try {
      const signal = isKnown ? AbortSignal.any([call.signal, this.#time.timeout(PATIENCE_MS)]) : call.signal;
      await awaitShared(watched.reading, { ...call, signal });
    } catch (error) {
      if (!isKnown || call.signal.aborted) throw error;
      // Of those that have waited together the first one has said so.
      if (this.#time.monotonic() - watched.readAt < exchangeMs) return;
      // What is known goes on counting, with what this process writes. It is asked again later.
      watched.readAt = this.#time.monotonic();
      onProblem(error);
    }
  }

  async #read(watched: Watched, call: Call): Promise<void> {
    const askedAt = this.#time.monotonic();
    const { known, isCovered } = await watched.read(call);
    const { maxAgeMs } = this.#options;
    const now = this.#time.now();
    this.#written.forget({ known, askedAt, isCovered }, now);
    const found = new Set(known.map(({ uid }) => uid));
    const unread = this.#written.buckets
      .filter((bucket) => watched.isOfScope(bucket) && !found.has(bucket.uid))
      .map(({ ownerId, uid, name }) => ({ ownerId, uid, bucket: name, counted: undefined, written: new Map() }));
    const { writer } = this.#written;
    const ownSpans = (uid: string): readonly WrittenSpan[] => this.#written.spansOf(uid);
    watched.scope.renew(snapshotOf([...known, ...unread], { now, maxAgeMs, writer, ownSpans }));
    watched.readAt = this.#time.monotonic();
    this.#noteLevels([watched], true);
  }

  #noteLevels(watched: readonly Watched[], isRead: boolean): void {
    for (const one of watched) {
      const percent = percentOf(one.scope);
      if (percent > one.percent) {
        this.#options.onLevel(one.scope, percent);
        this.#notices?.reached(one.level, one.scope);
      }
      // Requests that come and go do not lower it: each of them could be told of.
      if (percent > one.percent || isRead) one.percent = percent;
    }
  }
}
