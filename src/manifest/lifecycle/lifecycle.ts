/*
 * Lifecycle rules, carried out. Begin here. `bucket-pass.ts` is a pass over one bucket, page by page; `version-walk.ts`
 * judges the versions of a page by the rules (`protocol/lifecycle/judge.ts`), `carry-out.ts` does what is due.
 */
import type { Call } from '../../observe/call.ts';
import type { SurveyedStore } from '../../store/survey.ts';
import type { Backend, Realm } from '../buckets/realm.ts';
import type { Bucket } from '../records/bucket.ts';
import { timeOf } from '../records/time.ts';
import { BucketTurns, dueEvery } from '../passes/bucket-turns.ts';
import { inBackend, takeTurns, untilStopped } from '../passes/pass-run.ts';
import { recordedBuckets } from '../passes/recorded-buckets.ts';
import { BucketPass, type PassSettings, type Progress } from './bucket-pass.ts';
import type { LifecycleManifest } from './carry-out.ts';
import {
  type BucketLifecycleReport,
  BucketTally,
  type LifecycleDeed,
  type LifecycleReport,
} from './lifecycle-report.ts';
import { forgetPassReports, readPassReports } from './pass-reports.ts';
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
  /** Told what was done. */
  readonly onDone?: (bucket: Bucket, deed: LifecycleDeed) => void;
}

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
  const find = async (backend: Backend): Promise<void> => {
    runs.push(...(await runsOf(options, { backend, pace, problems }, call)));
  };
  const complete = await untilStopped(async () => {
    for (const backend of options.backends) await inBackend({ backend, problems, work: () => find(backend) }, call);
    await takeTurns(runs, call);
  }, call);
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

/**
 * The buckets of a backend that have rules, as far as the run is for them. Reports of passes over buckets that have
 * none any more, or are gone, are forgotten.
 */
async function runsOf(
  { realm, manifest, settings, clockOf, onDone }: LifecycleOptions,
  { backend, pace, problems }: BackendWork & { readonly problems: string[] },
  call: Call,
): Promise<BucketRun[]> {
  const clock = clockOf(backend);
  const runs: BucketRun[] = [];
  const wanted = { realm, buckets: manifest.buckets, only: settings.bucket, problems };
  const place = { store: backend.store, system: backend.systemContainer };
  // Reports are listed before buckets: what has one and is no bucket afterwards was deleted.
  const isForAll = settings.bucket === undefined && !settings.dryRun;
  const reports = isForAll ? await readPassReports(place, call) : [];
  for await (const bucket of recordedBuckets(backend, wanted, call)) {
    if (bucket.settings.lifecycle === undefined) continue;
    runs.push(new BucketRun(bucket, { manifest, settings, pace, backend, clock, onDone }));
  }
  // Of a bucket that could not be read nobody knows whether it has rules.
  if (problems.length > 0) return runs;
  const governed = new Set(runs.map(({ uid }) => uid));
  await forgetPassReports(
    place,
    reports.filter(({ uid }) => !governed.has(uid)),
    call,
  );
  return runs;
}

interface BucketRunOptions extends BackendWork, Pick<LifecycleOptions, 'manifest' | 'settings'> {
  readonly onDone: LifecycleOptions['onDone'];
  readonly clock: Pick<SurveyedStore, 'readClock'> | undefined;
}

/** What a run does in one bucket. */
class BucketRun {
  readonly #options: BucketRunOptions;
  readonly #tally: BucketTally;
  readonly #turns: BucketTurns<Progress>;

  constructor(bucket: Bucket, options: BucketRunOptions) {
    const { settings, backend, clock } = options;
    this.#options = options;
    this.#tally = new BucketTally(bucket.name);
    this.#turns = new BucketTurns({
      bucket,
      backend,
      clock,
      work: new BucketPass(bucket, { ...options, tally: this.#tally }),
      isDue: dueEvery(settings.everyMs),
      isDry: settings.dryRun,
      onProblem: (error) => this.#tally.problem('pass', error),
    });
  }

  get uid(): string {
    return this.#turns.bucket.uid;
  }

  get isEnded(): boolean {
    return this.#turns.isEnded;
  }

  turn(call: Call): Promise<void> {
    return this.#turns.turn(call);
  }

  report(): BucketLifecycleReport {
    const { name, rules, problems, moreProblems, hindrances } = this.#tally;
    const { bucket, isOver, now } = this.#turns;
    const lifecycle = this.#options.settings.dryRun ? bucket.settings.lifecycle : undefined;
    return {
      name,
      backend: this.#options.backend.name,
      complete: isOver,
      rules: Object.fromEntries(rules),
      warnings: [
        ...warningsOf(lifecycle, rules, now),
        ...[...hindrances].map(([line, count]) => `${line} (${String(count)} times)`),
      ],
      problems,
      moreProblems,
    };
  }
}
