/*
 * Passes over buckets, page by page: what runs of several kinds have in common. A run finds its buckets, makes
 * `BucketTurns` of each, and has them take turns.
 */
import { isS3Error } from '../../errors/s3-error.ts';
import { type Call, withSignal } from '../../observe/call.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { SurveyedStore } from '../../store/survey.ts';
import type { Backend } from '../buckets/realm.ts';
import type { Bucket } from '../records/bucket.ts';
import { timeOf } from '../records/time.ts';
import { PassLease, type PassKind, type PassProgress } from './pass-lease.ts';

/** Pages of one bucket before the others get their turn. */
const TURN_PAGES = 20;

/** Longest time that a run takes to give a bucket back. */
const RELEASE_MS = 10_000;

/** Passes follow each other so many milliseconds after they began; 0: at once. */
export function dueEvery(everyMs: number): (last: PassProgress, now: number) => boolean {
  return ({ startedAt }, now) => {
    const age = now - startedAt;
    // One that is yet to begin was noted by a clock that has stepped back since.
    return age < 0 || age >= everyMs;
  };
}

/** What a pass does in one bucket. */
export interface PageWork<P extends PassProgress> {
  readonly kind: PassKind<P>;
  /** @param now by the service's clock, milliseconds */
  beginning(now: number): P;
  /** Does the next page. @returns how far the pass is then, and what another process can go on from */
  page(progress: P, now: number, call: Call): Promise<P>;
  /**
   * The last page left something in memory that is to be written down before others get their turn: this one does not
   * end here. It must come to an end soon: the other buckets wait.
   */
  readonly holdsTurn?: boolean;
  /** What the last page did is to be written down before the next one: the turn ends here. */
  readonly endsTurn?: boolean;
}

interface TurnsOptions<P extends PassProgress> {
  readonly bucket: Bucket;
  readonly backend: Backend;
  readonly work: PageWork<P>;
  /** Tells the time of the backend's service; undefined: this machine's time counts. */
  readonly clock: Pick<SurveyedStore, 'readClock'> | undefined;
  /** Whether a pass is to follow the last one, judged when the bucket is claimed. @param now by the service's clock */
  readonly isDue: (last: P, now: number) => boolean;
  /** Makes a pass from the beginning, claims nothing and writes nothing down. */
  readonly isDry: boolean;
  /** Told what ended the work on this bucket. The next run tries again. */
  readonly onProblem: (error: unknown) => void;
}

/** What a run does in one bucket: a pass, in turns with those over other buckets. */
export class BucketTurns<P extends PassProgress> {
  readonly bucket: Bucket;
  /** There is nothing more to be done for this run. */
  isEnded = false;
  /** Every page was done. */
  isOver = false;
  /** By the service's clock, when it was asked last; milliseconds. */
  now = 0;
  readonly #options: TurnsOptions<P>;
  /** Of a dry run, which writes nothing down. */
  #dryProgress: P | undefined;
  /** A pass that this run has worked on. */
  #passStartedAt: number | undefined;

  constructor(options: TurnsOptions<P>) {
    this.bucket = options.bucket;
    this.#options = options;
  }

  /** Some pages. What goes wrong ends the work on this bucket. @throws StoreError aborted */
  async turn(call: Call): Promise<void> {
    try {
      this.now = await this.#askTime(call);
      this.isEnded = this.#options.isDry ? await this.#dryTurn(call) : await this.#realTurn(call);
    } catch (error) {
      if (call.signal.aborted || isStoreError(error, 'aborted')) throw error;
      this.isEnded = true;
      // Another run has taken over, or the bucket was deleted.
      if (!isStoreError(error, 'conditionFailed') && !isS3Error(error, 'NoSuchBucket')) this.#options.onProblem(error);
    }
  }

  /** What is due is due by the service's clock, which dates objects, too. It is asked once a turn. */
  async #askTime(call: Call): Promise<number> {
    const { clock, backend } = this.#options;
    if (clock === undefined) return timeOf(backend).now();
    const { service } = await clock.readClock(call);
    if (!Number.isFinite(service)) throw new Error('the service does not tell the time');
    return service;
  }

  async #dryTurn(call: Call): Promise<boolean> {
    this.#dryProgress = await this.#pages(this.#dryProgress ?? this.#options.work.beginning(this.now), call);
    return this.isOver;
  }

  async #realTurn(call: Call): Promise<boolean> {
    const { backend, bucket, work } = this.#options;
    const { monotonic, timeout } = timeOf(backend);
    const wanted = (before: P | undefined): P | undefined => this.#wanted(before);
    const lease = await PassLease.claim({ bucket, kind: work.kind }, { now: this.now, monotonic, wanted }, call);
    if (lease === undefined) return true;
    this.#passStartedAt = lease.progress.startedAt;
    // A run that was told to stop gives the bucket back all the same: the next one need not take it for dead first.
    const release = (): Promise<void> => lease.release(withSignal(call, timeout(RELEASE_MS)));
    try {
      await this.#pages(lease.progress, call, (progress) => lease.advance(progress, call));
    } catch (error) {
      // Where that fails, too, the next run waits until this one is taken for dead.
      await release().catch(() => undefined);
      throw error;
    }
    await release();
    return this.isOver;
  }

  /** An earlier pass is gone on with; a new one begins when it is time. Undefined: nothing is to be done now. */
  #wanted(before: P | undefined): P | undefined {
    const { work, isDue } = this.#options;
    if (before === undefined) return work.beginning(this.now);
    if (before.phase !== 'over') return before;
    if (before.startedAt === this.#passStartedAt) return undefined;
    return isDue(before, this.now) ? work.beginning(this.now) : undefined;
  }

  async #pages(from: P, call: Call, onPage: (progress: P) => Promise<void> = async () => undefined): Promise<P> {
    const { work } = this.#options;
    let progress = from;
    for (let pages = 0; (pages < TURN_PAGES || work.holdsTurn === true) && progress.phase !== 'over'; pages++) {
      if (call.signal.aborted) break;
      progress = await work.page(progress, this.now, call);
      await onPage(progress);
      if (work.endsTurn === true) break;
    }
    this.isOver = progress.phase === 'over';
    return progress;
  }
}
