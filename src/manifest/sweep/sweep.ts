/*
 * The sweeper, which removes what crashes left, and the export to plain blobs. Begin here, or with `export-plain.ts`.
 * `sweep-run.ts` has what one run goes by; every other `sweep-*.ts` cleans one region of names.
 */
import type { Call } from '../../observe/call.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import type { Bucket } from '../records/bucket.ts';
import { type BucketStore, createBucketStore } from '../buckets/bucket-store.ts';
import type { Backend, Realm } from '../buckets/realm.ts';
import type { SurveyedStore } from '../../store/survey.ts';
import { type Census, takeCensus } from './census.ts';
import { sweepBuckets } from './sweep-buckets.ts';
import { sweepDeleted, sweepStaged } from './sweep-deleted.ts';
import { sweepIntents } from './sweep-events.ts';
import { sweepHeads } from './sweep-heads.ts';
import { sweepIndex } from './sweep-index.ts';
import { sweepOverflow } from './sweep-overflow.ts';
import { type BackendReport, type BucketReport, type SweepReport, Tally } from './sweep-report.ts';
import { SweepRun, type SweepSettings } from './sweep-run.ts';
import { sweepPieces } from './sweep-pieces.ts';
import { sweepRestores } from './sweep-restores.ts';
import { sweepParts, sweepTombstones, sweepUploads } from './sweep-uploads.ts';
import { sweepUsage } from './sweep-usage.ts';
import { sweepVersions } from './sweep-versions.ts';
import { type Objects, createObjects } from '../objects/objects.ts';
import { createClock } from '../records/clock.ts';
import { SYSTEM_TIME } from '../records/time.ts';
import type { Settler } from '../versions/settle.ts';

interface SweepOptions {
  readonly realm: Realm;
  /** Backends to be swept. */
  readonly backends: readonly Backend[];
  readonly settings: SweepSettings;
  readonly now?: () => number;
  /** Tells the time of a backend's service; absent, or undefined: this machine's time counts. */
  readonly clockOf?: (backend: Backend) => Pick<SurveyedStore, 'readClock'> | undefined;
}

/**
 * Puts right what crashes left behind, and removes what nothing refers to. Beside live traffic and other sweeps:
 * everything is done on the revision that was judged, and doing it twice changes nothing. When the call's signal is
 * aborted the report covers what was done until then; nothing needs to be remembered for the next sweep.
 */
export async function sweep(options: SweepOptions, call: Call): Promise<SweepReport> {
  const { now = SYSTEM_TIME.now, settings } = options;
  const startedAt = now();
  const sweeps = options.backends.map(
    (backend) => new BackendSweep(options, new SweepRun(settings, backend, startedAt)),
  );
  let complete = true;
  for (const backend of sweeps) {
    try {
      await backend.run(call);
    } catch (error) {
      if (!isStoreError(error, 'aborted') && !call.signal.aborted) throw error;
      complete = false;
      break;
    }
  }
  return {
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: new Date(now()).toISOString(),
    dryRun: settings.dryRun,
    complete,
    backends: sweeps.map((backend) => backend.report()),
  };
}

/** What a request leaves behind its answer, the next sweep does. */
const LEFT_TO_SWEEPS: Settler = {
  schedule: () => undefined,
  discard: () => undefined,
  later: () => undefined,
  idle: () => Promise.resolve(),
  backlog: () => ({ queued: 0, running: 0, dropped: 0, failed: 0 }),
  close: () => Promise.resolve(),
};

class BackendSweep {
  readonly #options: SweepOptions;
  readonly #realm: Realm;
  #run: SweepRun;
  readonly #store: BucketStore;
  readonly #objects: Objects;
  readonly #tally = new Tally();
  readonly #buckets = new Map<Bucket, Tally>();

  constructor(options: SweepOptions, run: SweepRun) {
    const { realm } = options;
    this.#options = options;
    this.#realm = realm;
    this.#store = createBucketStore(realm);
    this.#objects = createObjects({ clock: createClock(options.now ?? SYSTEM_TIME.now), settler: LEFT_TO_SWEEPS });
    this.#run = run;
  }

  async run(call: Call): Promise<void> {
    const tally = this.#tally;
    if (!(await this.#run.step(tally, 'clock', () => this.#askTime(call)))) return;
    let census: Census | undefined;
    await this.#run.step(tally, 'buckets', async () => {
      census = await this.#takeCensus(call);
    });
    if (census === undefined) return;
    const clearUids = new Set<string>();
    for (const bucket of this.#wanted(census)) {
      if (await this.#sweepBucket(bucket, call)) clearUids.add(bucket.uid);
    }
    const { bucket } = this.#run.settings;
    const unsettled = census.unsettled.filter(({ name }) => bucket === undefined || name === bucket);
    await sweepBuckets({ run: this.#run, store: this.#store, tally }, unsettled, call);
    await this.#sweepBeside(census, clearUids, call);
  }

  report(): BackendReport {
    const { counts, problems, moreProblems } = this.#tally;
    const buckets = [...this.#buckets].map(
      ([{ name }, own]): BucketReport => ({
        name,
        counts: own.counts,
        lost: own.lost,
        problems: own.problems,
        moreProblems: own.moreProblems,
      }),
    );
    return {
      name: this.#run.backend.name,
      counts,
      problems,
      moreProblems,
      bucketsSeen: this.#buckets.size,
      buckets: buckets.filter((bucket) => Object.keys(bucket.counts).length > 0 || bucket.problems.length > 0),
    };
  }

  /**
   * Blobs are as old as the service says, so it says too what time it is: a clock of this machine that is ahead would
   * make blobs old that a writer has just stored. Not swept without an answer.
   */
  async #askTime(call: Call): Promise<void> {
    const { backend, settings } = this.#run;
    const clock = this.#options.clockOf?.(backend);
    if (clock === undefined) return;
    const { service } = await clock.readClock(call);
    if (!Number.isFinite(service)) throw new Error('the service does not tell the time');
    this.#run = new SweepRun(settings, backend, service);
  }

  /** Without a system container there is nothing of ours yet. */
  async #takeCensus(call: Call): Promise<Census> {
    try {
      return await takeCensus(this.#run, (name) => this.#realm.backendOf(name) === this.#run.backend, call);
    } catch (error) {
      if (isStoreError(error, 'containerNotFound')) {
        return { buckets: [], unsettled: [], deletedUids: [], liveUids: new Set() };
      }
      throw error;
    }
  }

  #wanted({ buckets }: Census): readonly Bucket[] {
    const only = this.#run.settings.bucket;
    return only === undefined ? buckets : buckets.filter(({ name }) => name === only);
  }

  /** @returns whether its upload records were all looked at */
  async #sweepBucket(bucket: Bucket, call: Call): Promise<boolean> {
    const run = this.#run;
    const tally = new Tally();
    this.#buckets.set(bucket, tally);
    // Without its container nothing is known of its keys: it may come back.
    if (
      !(await run.step(tally, 'container', async () => {
        await this.#requireContainer(bucket, call);
      }))
    ) {
      return false;
    }
    const own = { run, bucket, tally };
    await run.step(tally, 'versions', () => sweepVersions(own, call));
    if (bucket.versioning !== 'never') {
      await run.step(tally, 'heads', () => sweepHeads(own, () => this.#isStillThere(bucket, call), call));
      await run.step(tally, 'index', () => sweepIndex(own, call));
    }
    await run.step(tally, 'restores', () => sweepRestores(own, this.#objects, call));
    await run.step(tally, 'pieces', () => sweepPieces(own, call));
    await run.step(tally, 'events', () => sweepIntents(own, call));
    const before = tally.problems.length + tally.moreProblems;
    const ended = await run.step(tally, 'uploads', () => sweepUploads(own, call));
    return ended && tally.problems.length + tally.moreProblems === before;
  }

  /** What lies in another bucket's container says nothing of this one's keys. */
  async #requireContainer({ name, uid, home: { container } }: Bucket, call: Call): Promise<void> {
    const stored = await this.#store.find(name, call);
    if (stored?.record.uid !== uid) throw new Error('the bucket has changed meanwhile');
    const proof =
      stored.revision === undefined
        ? 'proven'
        : await this.#store.proof.look(this.#run.backend, { name, record: stored.record }, call);
    if (proof === 'missing') throw new Error(`its container ${container} is gone`);
    if (proof === 'foreign') {
      throw new Error(`its container ${container} is gone, and somebody else has one of its name`);
    }
    if (proof === 'disputed') throw new Error(`its container ${container} cannot be told to be its own (see --check)`);
  }

  async #isStillThere(bucket: Bucket, call: Call): Promise<boolean> {
    const stored = await this.#store.find(bucket.name, call);
    return stored?.record.uid === bucket.uid;
  }

  /** What belongs to no bucket, or is not known to. */
  async #sweepBeside({ deletedUids, liveUids }: Census, clearUids: ReadonlySet<string>, call: Call): Promise<void> {
    const run = this.#run;
    const tally = this.#tally;
    const isAll = run.settings.bucket === undefined;
    if (isAll) {
      for (const uid of deletedUids) {
        await run.step(tally, `deleted bucket ${uid}`, () => sweepDeleted(run, { tally, uid }, call));
      }
      await this.#beside('parts', () => sweepParts(run, tally, call));
      await this.#beside('staged', () => sweepStaged(run, tally, call));
    }
    const isClear = (uid: string): boolean => clearUids.has(uid) || (isAll && !liveUids.has(uid));
    await this.#beside('tombstones', () => sweepTombstones(run, { tally, isClear }, call));
    if (!isAll) return;
    await this.#beside('usage', () => sweepUsage(run, { tally, liveUids }, call));
    await this.#beside('overflow', () => sweepOverflow(run, tally, call));
  }

  /** Before the first bucket there is no system container. */
  async #beside(what: string, work: () => Promise<void>): Promise<void> {
    await this.#run.step(this.#tally, what, async () => {
      try {
        await work();
      } catch (error) {
        if (!(error instanceof StoreError) || error.kind !== 'containerNotFound') throw error;
      }
    });
  }
}
