/*
 * Usage, counted. Begin here. `usage-pass.ts` counts one bucket page by page, `usage-records.ts` keeps what was counted
 * where every process finds it.
 */
import { isS3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { SurveyedStore } from '../../store/survey.ts';
import { listBuckets } from '../buckets/bucket-list.ts';
import type { Backend, Realm } from '../buckets/realm.ts';
import { BucketTurns, dueEvery } from '../passes/bucket-turns.ts';
import { inBackend, problemOf, takeTurns, untilStopped } from '../passes/pass-run.ts';
import type { Bucket } from '../records/bucket.ts';
import { timeOf } from '../records/time.ts';
import { ALL_USAGE, type UsageCount } from '../records/usage-record.ts';
import { UsagePass, type UsageManifest, type UsageProgress } from './usage-pass.ts';
import { forgetUsage, type KnownUsage, readUsage } from './usage-records.ts';

export interface UsageSettings {
  /** A bucket whose last pass began less long ago is left alone, milliseconds; 0: none is. */
  readonly everyMs: number;
  /** Only the bucket of this name. */
  readonly bucket?: string;
}

interface UsageOptions {
  readonly realm: Realm;
  readonly backends: readonly Backend[];
  readonly manifest: UsageManifest;
  readonly settings: UsageSettings;
  /** Tells the time of a backend's service; undefined: this machine's time counts. */
  readonly clockOf: (backend: Backend) => Pick<SurveyedStore, 'readClock'> | undefined;
}

export interface UsageReport {
  /** ISO 8601. */
  readonly startedAt: string;
  readonly finishedAt: string;
  /** False: told to stop before the end. The next run goes on from there. */
  readonly complete: boolean;
  readonly buckets: readonly BucketUsageReport[];
  /** What could not be done, one line each. */
  readonly problems: readonly string[];
}

interface BucketUsageReport {
  readonly name: string;
  readonly backend: string;
  /** Absent: another run counts it, it was counted a short while ago, or this run was stopped. */
  readonly counted?: UsageCount;
}

/**
 * Counts what lies in every bucket, beside gateways and other such runs. Buckets take turns. What a run has counted
 * when it ends is not counted again. When the call's signal is aborted the report covers what was done until then.
 */
export async function countUsage(options: UsageOptions, call: Call): Promise<UsageReport> {
  const [first] = options.backends;
  const time = timeOf(first ?? {});
  const startedAt = time.now();
  const runs = options.backends.map((backend) => new BackendRun(backend, options));
  const complete = await untilStopped(async () => {
    for (const run of runs) {
      await inBackend({ backend: run.backend, problems: run.problems, work: () => run.begin(call) }, call);
    }
    await takeTurns(
      runs.flatMap((run) => run.turns),
      call,
    );
    for (const run of runs) {
      await inBackend({ backend: run.backend, problems: run.problems, work: () => run.forgetDeleted(call) }, call);
    }
  }, call);
  return {
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: new Date(time.now()).toISOString(),
    complete,
    buckets: runs.flatMap((run) => run.report()),
    problems: runs.flatMap((run) => run.problems),
  };
}

/** What a run does in one backend. */
class BackendRun {
  readonly backend: Backend;
  readonly turns: BucketTurns<UsageProgress>[] = [];
  readonly problems: string[] = [];
  readonly #options: UsageOptions;
  readonly #counted = new Map<string, UsageCount>();
  /** Of which there were records before the buckets were listed; empty until all buckets are found. */
  #known: readonly KnownUsage[] = [];
  /** By name; undefined: it is being made or deleted, or cannot be served. */
  readonly #found = new Map<string, Bucket | undefined>();

  constructor(backend: Backend, options: UsageOptions) {
    this.backend = backend;
    this.#options = options;
  }

  /** Finds the buckets. */
  async begin(call: Call): Promise<void> {
    const { realm, settings } = this.#options;
    const { backend } = this;
    // Records are listed before buckets: what has a record and is no bucket afterwards was deleted.
    const known = settings.bucket === undefined ? await readUsage(this.#place, ALL_USAGE, call) : [];
    const own: Realm = { backends: [backend], backendOf: (bucket) => realm.backendOf(bucket) };
    const { buckets } = await listBuckets({ realm: own, onHidden: () => undefined }, { limit: Infinity }, call);
    for (const { name } of buckets) {
      if ((settings.bucket ?? name) !== name) continue;
      await this.#find(name, call);
    }
    this.#known = known;
  }

  /** Of a deleted bucket a note of that may still be listed. */
  async #find(name: string, call: Call): Promise<void> {
    let bucket: Bucket | undefined;
    try {
      bucket = await this.#options.manifest.buckets.get(name, call);
    } catch (error) {
      if (isS3Error(error, 'NoSuchBucket')) return;
      if (call.signal.aborted || isStoreError(error, 'aborted')) throw error;
      // It keeps what was counted last; the others are counted.
      if (!isS3Error(error, 'OperationAborted', 'InvalidBucketState')) {
        this.problems.push(problemOf(`bucket ${name}`, error));
      }
    }
    this.#found.set(name, bucket);
    if (bucket !== undefined) this.turns.push(this.#turnsOf(bucket));
  }

  /** Buckets that are gone count for no account any more. */
  async forgetDeleted(call: Call): Promise<void> {
    for (const known of this.#known) {
      const found = this.#found.get(known.bucket);
      const isThere =
        found === undefined
          ? this.#found.has(known.bucket)
          : found.uid === known.uid && found.ownerId === known.ownerId;
      if (!isThere) await forgetUsage(this.#place, known, call);
    }
  }

  report(): BucketUsageReport[] {
    return this.turns.map(({ bucket: { name } }) => {
      const counted = this.#counted.get(name);
      return { name, backend: this.backend.name, ...(counted && { counted }) };
    });
  }

  #turnsOf(bucket: Bucket): BucketTurns<UsageProgress> {
    const { manifest, settings, clockOf } = this.#options;
    const onCounted = (count: UsageCount): void => void this.#counted.set(bucket.name, count);
    return new BucketTurns({
      bucket,
      backend: this.backend,
      work: new UsagePass(bucket, { manifest, onCounted }),
      clock: clockOf(this.backend),
      isDue: dueEvery(settings.everyMs),
      isDry: false,
      onProblem: (error) => this.problems.push(problemOf(`bucket ${bucket.name}`, error)),
    });
  }

  get #place(): { readonly store: Backend['store']; readonly system: string } {
    return { store: this.backend.store, system: this.backend.systemContainer };
  }
}
