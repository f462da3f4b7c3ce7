/*
 * Lifecycle rules, carried out. Begin here. `bucket-pass.ts` is a pass over one bucket, page by page; `version-walk.ts`
 * judges the versions of a page by the rules (`protocol/lifecycle/judge.ts`), `carry-out.ts` does what is due.
 */
import { isS3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import { blobsOf, pagesOf } from '../../store/pages.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { SurveyedStore } from '../../store/survey.ts';
import type { Backend, Realm } from '../buckets/realm.ts';
import { claimedBy, RECORDS } from '../buckets/record-names.ts';
import type { Bucket } from '../records/bucket.ts';
import { decodeBucketSummary } from '../records/bucket-record.ts';
import { timeOf } from '../records/time.ts';
import { BucketPass, type PassSettings } from './bucket-pass.ts';
import type { LifecycleManifest } from './carry-out.ts';
import { Lease, type Progress } from './lease.ts';
import { type BucketLifecycleReport, BucketTally, type LifecycleReport } from './lifecycle-report.ts';
import { ChangePace } from './change-pace.ts';
import { warningsOf } from './lifecycle-warnings.ts';

/** What one run may do. */
export interface LifecycleSettings extends PassSettings {
  /** Changes a second, of all buckets together. */
  readonly perSecond: number;
  /** A bucket whose last pass began less long ago is left alone, milliseconds; 0: none is. */
  readonly everyMs: number;
  /** Only the bucket of this name. */
  readonly bucket?: string;
}

interface LifecycleOptions {
  readonly realm: Realm;
  readonly backends: readonly Backend[];
  readonly manifest: LifecycleManifest;
  readonly settings: LifecycleSettings;
  /** Tells the time of a backend's service; undefined: this machine's time counts. */
  readonly clockOf: (backend: Backend) => Pick<SurveyedStore, 'readClock'> | undefined;
}

/** Pages of one bucket before the others get their turn. */
const TURN_PAGES = 20;

/**
 * Makes a pass over each bucket that has rules, beside gateways, the sweeper and other such runs. Buckets take turns,
 * so that a large one holds no other up. What a run had done of a pass when it ended is not done again. When the call's
 * signal is aborted the report covers what was done until then.
 */
export async function runLifecycle(options: LifecycleOptions, call: Call): Promise<LifecycleReport> {
  const [first] = options.backends;
  const time = timeOf(first ?? {});
  const startedAt = time.now();
  const pace = new ChangePace(options.settings.perSecond, time);
  const runs: BucketRun[] = [];
  const problems: string[] = [];
  let complete = true;
  try {
    for (const backend of options.backends) {
      try {
        runs.push(...(await runsOf(options, { backend, pace }, call)));
      } catch (error) {
        if (call.signal.aborted) throw error;
        problems.push(`backend ${backend.name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    for (let open = runs; open.length > 0; ) {
      for (const run of open) await run.turn(call);
      open = open.filter((run) => !run.isEnded);
    }
  } catch (error) {
    if (!isStoreError(error, 'aborted') && !call.signal.aborted) throw error;
    complete = false;
  }
  return {
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: new Date(time.now()).toISOString(),
    dryRun: options.settings.dryRun,
    complete,
    buckets: runs.map((run) => run.report()),
    problems,
  };
}

interface BackendWork {
  readonly backend: Backend;
  readonly pace: ChangePace;
}

/** The buckets of a backend that have rules, as far as the run is for them. */
async function runsOf(
  { realm, manifest, settings, clockOf }: LifecycleOptions,
  { backend, pace }: BackendWork,
  call: Call,
): Promise<BucketRun[]> {
  const clock = clockOf(backend);
  const runs: BucketRun[] = [];
  for (const name of await bucketNames(backend, call)) {
    if (realm.backendOf(name) !== backend || (settings.bucket ?? name) !== name) continue;
    const bucket = await find(manifest, name, call);
    if (bucket?.settings.lifecycle === undefined) continue;
    runs.push(new BucketRun(bucket, { manifest, settings, pace, backend, clock }));
  }
  return runs;
}

/** Containers without a record have no rules. */
async function bucketNames(backend: Backend, call: Call): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const page of pagesOf(backend.store, backend.systemContainer, { prefix: RECORDS }, call)) {
      for (const { name, metadata } of blobsOf(page)) {
        const summary = decodeBucketSummary(metadata);
        const bucket = summary && claimedBy(backend, name, summary.container)?.bucket;
        if (bucket !== undefined) names.push(bucket);
      }
    }
  } catch (error) {
    // Before the first bucket there is no system container.
    if (!isStoreError(error, 'containerNotFound')) throw error;
  }
  return names.sort();
}

const NOT_SERVED = ['NoSuchBucket', 'OperationAborted', 'InvalidBucketState'] as const;

/** Undefined: it is being made or deleted, or cannot be served. */
async function find({ buckets }: LifecycleManifest, name: string, call: Call): Promise<Bucket | undefined> {
  try {
    return await buckets.get(name, call);
  } catch (error) {
    if (!NOT_SERVED.some((code) => isS3Error(error, code))) throw error;
    return undefined;
  }
}

interface BucketRunOptions extends BackendWork, Pick<LifecycleOptions, 'manifest' | 'settings'> {
  readonly clock: Pick<SurveyedStore, 'readClock'> | undefined;
}

/** What a run does in one bucket: a pass, in turns with those over other buckets. */
class BucketRun {
  isEnded = false;
  readonly #bucket: Bucket;
  readonly #options: BucketRunOptions;
  readonly #tally: BucketTally;
  /** Of a dry run, which writes nothing down. */
  #dryProgress: Progress | undefined;
  /** By the service's clock, when it was asked last. */
  #now = 0;
  /** A pass that this run has worked on. */
  #passStartedAt: number | undefined;

  constructor(bucket: Bucket, options: BucketRunOptions) {
    this.#bucket = bucket;
    this.#options = options;
    this.#tally = new BucketTally(bucket.name);
  }

  /** Some pages. What goes wrong ends the work on this bucket; the next run tries again. */
  async turn(call: Call): Promise<void> {
    try {
      const now = await this.#askTime(call);
      this.#now = now;
      this.isEnded = this.#options.settings.dryRun ? await this.#dryTurn(now, call) : await this.#realTurn(now, call);
    } catch (error) {
      if (call.signal.aborted || isStoreError(error, 'aborted')) throw error;
      this.isEnded = true;
      // Another sweeper has taken over, or the bucket was deleted.
      if (!isStoreError(error, 'conditionFailed') && !isS3Error(error, 'NoSuchBucket')) {
        this.#tally.problem('pass', error);
      }
    }
  }

  report(): BucketLifecycleReport {
    const { name, rules, problems, moreProblems, isOver, hindrances } = this.#tally;
    const lifecycle = this.#options.settings.dryRun ? this.#bucket.settings.lifecycle : undefined;
    return {
      name,
      backend: this.#options.backend.name,
      complete: isOver,
      rules: Object.fromEntries(rules),
      warnings: [
        ...warningsOf(lifecycle, rules, this.#now),
        ...[...hindrances].map(([line, count]) => `${line} (${String(count)} times)`),
      ],
      problems,
      moreProblems,
    };
  }

  /** What is due is due by the service's clock, which dates objects, too. It is asked once a turn. */
  async #askTime(call: Call): Promise<number> {
    const { clock, backend } = this.#options;
    if (clock === undefined) return timeOf(backend).now();
    const { service } = await clock.readClock(call);
    if (!Number.isFinite(service)) throw new Error('the service does not tell the time');
    return service;
  }

  async #dryTurn(now: number, call: Call): Promise<boolean> {
    const pass = new BucketPass(this.#bucket, { ...this.#options, tally: this.#tally });
    this.#dryProgress = await this.#pages(pass, this.#dryProgress ?? beginning(now), now, call);
    return this.#tally.isOver;
  }

  /** @returns whether there is nothing more to be done for this run */
  async #realTurn(now: number, call: Call): Promise<boolean> {
    const { monotonic } = timeOf(this.#options.backend);
    const wanted = (before: Progress | undefined): Progress | undefined => this.#wanted(before, now);
    const lease = await Lease.claim(this.#bucket, { now, monotonic, wanted }, call);
    if (lease === undefined) return true;
    this.#passStartedAt = lease.progress.startedAt;
    const pass = new BucketPass(this.#bucket, { ...this.#options, tally: this.#tally });
    await this.#pages(pass, lease.progress, now, call, (progress) => lease.advance(progress, call));
    await lease.release(call);
    return this.#tally.isOver;
  }

  /** An earlier pass is gone on with; a new one begins when it is time. Undefined: nothing is to be done now. */
  #wanted(before: Progress | undefined, now: number): Progress | undefined {
    if (before === undefined) return beginning(now);
    if (before.phase !== 'over') return before;
    if (before.startedAt === this.#passStartedAt) return undefined;
    const age = now - before.startedAt;
    // One that is yet to begin was noted by a clock that has stepped back since.
    return age < 0 || age >= this.#options.settings.everyMs ? beginning(now) : undefined;
  }

  async #pages(
    pass: BucketPass,
    from: Progress,
    now: number,
    call: Call,
    onPage: (progress: Progress) => Promise<void> = async () => undefined,
  ): Promise<Progress> {
    let progress = from;
    for (let pages = 0; (pages < TURN_PAGES || pass.isAmidKey) && progress.phase !== 'over'; pages++) {
      if (call.signal.aborted) break;
      progress = await pass.page(progress, now, call);
      await onPage(progress);
    }
    this.#tally.isOver = progress.phase === 'over';
    return progress;
  }
}

function beginning(now: number): Progress {
  return { startedAt: now, phase: 'objects', after: '' };
}
