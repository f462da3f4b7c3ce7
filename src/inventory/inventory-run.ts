/*
 * Reports of inventories, written by a command beside the gateway. Begin here. `inventory-pass.ts` makes one report;
 * `report-columns.ts` says what is in it, `csv-file.ts` and `parquet-file.ts` write data files, `report-writer.ts`
 * stores them in the destination.
 */
import {
  type Backend,
  type Bucket,
  BucketTurns,
  inBackend,
  type Manifest,
  type Realm,
  recordedBuckets,
  takeTurns,
  untilStopped,
} from '../manifest/index.ts';
import type { Call } from '../observe/call.ts';
import type { Inventory } from '../protocol/inventory/inventory.ts';
import type { SurveyedStore } from '../store/survey.ts';
import { InventoryPass, type InventoryPassOptions } from './inventory-pass.ts';
import type { InventoryProgress } from './inventory-progress.ts';
import { ReportWriter, type ReportWriterOptions } from './report-writer.ts';

/** A data file is in memory until it is stored. S3's have up to some million rows. */
export const REPORT_SIZES = { pageNames: 1000, fileBytes: 16 * 1024 * 1024, fileRows: 500_000 } as const;

interface InventorySettings extends Pick<InventoryPassOptions, 'concurrency' | 'pageNames' | 'fileBytes' | 'fileRows'> {
  /** Only the bucket of this name. */
  readonly bucket?: string;
}

interface InventoryOptions extends ReportWriterOptions {
  readonly realm: Realm;
  readonly backends: readonly Backend[];
  readonly manifest: Pick<Manifest, 'buckets' | 'listing' | 'objects'>;
  readonly inventorySettings: InventorySettings;
  /** Tells the time of a backend's service; undefined: this machine's time counts. */
  readonly clockOf: (backend: Backend) => Pick<SurveyedStore, 'readClock'> | undefined;
}

/** What a run did for one inventory. */
export interface InventoryOutcome {
  readonly bucket: string;
  readonly backend: string;
  readonly id: string;
  /** The report that was finished; absent: none was due, another run works on it, or it is not finished yet. */
  readonly written?: { readonly manifest: string; readonly files: number; readonly rows: number };
  /** Why it could not be done. */
  readonly problem?: string;
}

/** JSON as the command prints it. Times in ISO 8601. */
export interface InventoryReport {
  readonly startedAt: string;
  readonly finishedAt: string;
  /** False: told to stop before the end. */
  readonly complete: boolean;
  readonly inventories: readonly InventoryOutcome[];
  /** What concerns whole backends. */
  readonly problems: readonly string[];
}

/**
 * Writes the reports that are due, of all inventories that are on. Buckets take turns, a data file each. When the
 * call's signal is aborted the report covers what was done until then.
 */
export async function runInventories(options: InventoryOptions, call: Call): Promise<InventoryReport> {
  const startedAt = options.now();
  const runs: InventoryRun[] = [];
  const problems: string[] = [];
  const find = async (backend: Backend): Promise<void> => {
    runs.push(...(await runsOf(options, { backend, problems }, call)));
  };
  let complete: boolean;
  try {
    complete = await untilStopped(async () => {
      for (const backend of options.backends) await inBackend({ backend, problems, work: () => find(backend) }, call);
      const byBucket = Map.groupBy(runs, ({ bucket }) => bucket);
      await takeTurns(
        [...byBucket.values()].map((own) => new BucketInventories(own)),
        call,
      );
    }, call);
  } finally {
    for (const run of runs) run.discard();
  }
  return {
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: new Date(options.now()).toISOString(),
    complete,
    inventories: runs.map((run) => run.outcome()),
    problems,
  };
}

async function runsOf(
  options: InventoryOptions,
  { backend, problems }: { readonly backend: Backend; readonly problems: string[] },
  call: Call,
): Promise<InventoryRun[]> {
  const { realm, manifest, inventorySettings } = options;
  const runs: InventoryRun[] = [];
  const wanted = { realm, buckets: manifest.buckets, only: inventorySettings.bucket, problems };
  for await (const bucket of recordedBuckets(backend, wanted, call)) {
    const { inventories = [] } = bucket.settings;
    for (const inventory of inventories) {
      if (inventory.isEnabled) runs.push(new InventoryRun({ bucket, inventory, backend }, options));
    }
  }
  return runs;
}

interface InventoryPlace {
  readonly bucket: Bucket;
  readonly backend: Backend;
  readonly inventory: Inventory;
}

/** What a run does for one inventory. */
class InventoryRun {
  readonly #place: InventoryPlace;
  readonly #pass: InventoryPass;
  readonly #turns: BucketTurns<InventoryProgress>;
  #problem: string | undefined;

  constructor(place: InventoryPlace, options: InventoryOptions) {
    const { bucket, backend, inventory } = place;
    this.#place = place;
    const writer = new ReportWriter(bucket, inventory, options);
    this.#pass = new InventoryPass(bucket, inventory, { ...options.inventorySettings, ...options, writer });
    this.#turns = new BucketTurns({
      bucket,
      backend,
      work: this.#pass,
      clock: options.clockOf(backend),
      isDue: (last, now) => this.#pass.isDue(last, now),
      isDry: false,
      onProblem: (error) => (this.#problem = error instanceof Error ? error.message : String(error)),
    });
  }

  get bucket(): Bucket {
    return this.#place.bucket;
  }

  get isEnded(): boolean {
    return this.#turns.isEnded;
  }

  async turn(call: Call): Promise<void> {
    try {
      await this.#turns.turn(call);
    } finally {
      // Other inventories' turns follow; what failed is not to stay in memory until they are done.
      if (this.isEnded) this.discard();
    }
  }

  discard(): void {
    this.#pass.discard();
  }

  outcome(): InventoryOutcome {
    const { bucket, backend, inventory } = this.#place;
    const { written } = this.#pass;
    return {
      bucket: bucket.name,
      backend: backend.name,
      id: inventory.id,
      ...(written !== undefined && { written }),
      ...(this.#problem !== undefined && { problem: this.#problem }),
    };
  }
}

/**
 * The inventories of a bucket, which take its turns one after the other: a bucket with many has no more turns than one
 * with a single one.
 */
class BucketInventories {
  readonly #open: InventoryRun[];

  constructor(runs: readonly InventoryRun[]) {
    this.#open = [...runs];
  }

  get isEnded(): boolean {
    return this.#open.length === 0;
  }

  async turn(call: Call): Promise<void> {
    const run = this.#open.shift();
    if (run === undefined) return;
    await run.turn(call);
    if (!run.isEnded) this.#open.push(run);
  }
}
