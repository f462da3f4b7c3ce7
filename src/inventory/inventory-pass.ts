import { createHash, randomUUID } from 'node:crypto';
import type { Bucket, ListedVersion, Manifest, ObjectView, PageWork, VersionsEntry } from '../manifest/index.ts';
import type { Call } from '../observe/call.ts';
import { isS3Error } from '../errors/s3-error.ts';
import type { Frequency, Inventory } from '../protocol/inventory/inventory.ts';
import { type ReportKeys, reportKeys } from '../protocol/inventory/report-keys.ts';
import { mapConcurrent } from '../streams/map-concurrent.ts';
import type { DataFile } from './data-file.ts';
import { FORMATS } from './formats.ts';
import { type InventoryProgress, isInventoryProgress, MAX_FILES, type StoredFile } from './inventory-progress.ts';
import { columnsOf, type InventoryRow, needsWhole, type ReportColumn } from './report-columns.ts';
import { checksumFile, manifestFile, symlinkFile } from './report-files.ts';
import type { ReportWriter } from './report-writer.ts';

const MINUTE_MS = 60_000;
/** Between the time that a run was told and its look at the last report another run may have made that. */
const AHEAD_MS = 5 * MINUTE_MS;
const DAY_MS = 86_400_000;
/** The first day of 1970 was a Thursday; weeks begin with Sunday. */
const FIRST_WEEKDAY = 4;

export interface InventoryPassOptions {
  readonly manifest: Pick<Manifest, 'buckets' | 'listing' | 'objects'>;
  readonly writer: ReportWriter;
  /** Versions that are read at a time, where a listing does not show all of them. */
  readonly concurrency: number;
  /** Names on a page of the listing. */
  readonly pageNames: number;
  /** A data file ends with the page by which it takes so many bytes, or has so many rows. */
  readonly fileBytes: number;
  readonly fileRows: number;
}

/** What became of the report. */
interface WrittenReport {
  readonly manifest: string;
  readonly files: number;
  readonly rows: number;
}

/**
 * One report: lists the bucket page by page, and writes a data file whenever one is full; behind the last of them the
 * files that make the report complete. What a pass has come to is kept at the end of a file, so a run that dies loses
 * the rows of one file only. The bucket's record is read again for each page: a configuration that was changed begins
 * anew, and one that was removed ends.
 */
export class InventoryPass implements PageWork<InventoryProgress> {
  readonly kind;
  /** The report that this run has finished. */
  written: WrittenReport | undefined;
  readonly #source: Bucket;
  readonly #inventory: Inventory;
  readonly #columns: readonly ReportColumn[];
  readonly #options: InventoryPassOptions;
  /** Rows that are not stored yet, and how far the listing has come with them. */
  #file: DataFile | undefined;
  #within: PlaceSoFar | undefined;
  #hasWritten = false;
  #hasBegunAnew = false;

  constructor(source: Bucket, inventory: Inventory, options: InventoryPassOptions) {
    this.#source = source;
    this.#inventory = inventory;
    this.#options = options;
    this.#columns = columnsOf(inventory);
    const id = createHash('sha256').update(inventory.id).digest('hex').slice(0, 32);
    this.kind = { name: `inventory-${id}`, isProgress: isInventoryProgress };
  }

  /** The rows of one data file are in memory; of all buckets together of no more than one. */
  get holdsTurn(): boolean {
    return this.#file !== undefined;
  }

  /** A data file is part of the report once the progress names it. */
  get endsTurn(): boolean {
    return this.#hasWritten;
  }

  beginning(now: number): InventoryProgress {
    return { startedAt: now, phase: 'rows', configuration: digestOf(this.#inventory), after: '', rows: 0, files: [] };
  }

  /**
   * Whether a report is to follow the last one: it is of another day (in UTC), for a weekly inventory of another week,
   * or of another configuration. The keys of two reports that begin in one minute are the same, so one of them waits.
   */
  isDue({ startedAt, configuration }: InventoryProgress, now: number): boolean {
    if (Math.floor(startedAt / MINUTE_MS) === Math.floor(now / MINUTE_MS)) return false;
    // One that is yet to begin was noted by a clock that has stepped back since; not if another run has just begun it.
    const isPast = startedAt - now > AHEAD_MS || startedAt < beginningOf(this.#inventory.frequency, now);
    return isPast || configuration !== digestOf(this.#inventory);
  }

  async page(progress: InventoryProgress, now: number, call: Call): Promise<InventoryProgress> {
    this.#hasWritten = false;
    const bucket = await this.#governed(call);
    if (bucket === undefined) {
      this.discard();
      // Of no configuration: one that is switched on again has its report with the next run.
      return { ...progress, phase: 'over', configuration: '' };
    }
    const isOther = progress.configuration !== digestOf(this.#inventory);
    // A report of which nothing is stored yet is as good as one that begins now.
    const isBare = progress.phase === 'rows' && progress.files.length === 0 && this.#file === undefined;
    const from = isOther || isBare ? this.beginning(now) : progress;
    const keys = reportKeys(this.#inventory, this.#source.name, from.startedAt);
    return from.phase === 'rows'
      ? this.#rows(bucket, { progress: from, keys }, call)
      : this.#finish({ progress: from, keys }, now, call);
  }

  /** Gives up the rows that are not stored yet. */
  discard(): void {
    this.#file?.discard();
    this.#file = undefined;
    this.#within = undefined;
  }

  /**
   * Undefined: the bucket is gone, or its inventory was removed or switched off. @throws Error: it was changed, and the
   * next run begins anew
   */
  async #governed(call: Call): Promise<Bucket | undefined> {
    const bucket = await this.#options.manifest.buckets.get(this.#source.name, call);
    const inventory = bucket.settings.inventories?.find(({ id }) => id === this.#inventory.id);
    if (bucket.uid !== this.#source.uid || inventory?.isEnabled !== true) return undefined;
    if (digestOf(inventory) !== digestOf(this.#inventory)) throw new Error('the configuration was changed meanwhile');
    return bucket;
  }

  async #rows(bucket: Bucket, { progress, keys }: ReportSoFar, call: Call): Promise<InventoryProgress> {
    const { manifest, writer, pageNames, fileBytes, fileRows } = this.#options;
    if (this.#file === undefined) {
      if (progress.files.length >= MAX_FILES) throw new Error(`a report has room for ${String(MAX_FILES)} data files`);
      await writer.requireDestination(keys.manifest, call);
    }
    const request = { prefix: this.#inventory.prefix ?? '', delimiter: '', limit: pageNames, withViews: true };
    const page = await manifest.listing.versions(bucket, { ...request, ...placeOf(this.#within ?? progress) }, call);
    const file = (this.#file ??= FORMATS[this.#inventory.destination.format].open(this.#columns));
    await file.add(await this.#rowsOf(bucket, page.entries, call));
    const { next: after, nextVersion: afterVersion } = page;
    const reached = after === undefined ? undefined : placeOf({ after, afterVersion });
    if (reached !== undefined && file.bytes < fileBytes && file.rows < fileRows) {
      this.#within = reached;
      return progress;
    }
    const files = file.rows === 0 ? progress.files : [...progress.files, await this.#store(file, keys, call)];
    const rows = progress.rows + file.rows;
    this.discard();
    this.#hasWritten = true;
    const { startedAt, configuration } = progress;
    const phase = reached === undefined ? 'files' : 'rows';
    return { startedAt, configuration, phase, ...(reached ?? { after: '' }), rows, files };
  }

  async #rowsOf(bucket: Bucket, entries: readonly VersionsEntry[], call: Call): Promise<InventoryRow[]> {
    const wanted = entries
      .filter((entry) => entry.kind !== 'prefix')
      .filter(({ kind, isLatest }) => this.#inventory.versions === 'All' || (isLatest && kind === 'version'));
    const isWhole = needsWhole(this.#inventory, bucket);
    const rows = await mapConcurrent(wanted, this.#options.concurrency, async (entry) => {
      if (entry.kind === 'marker') return { bucket, entry, view: undefined };
      const view = isWhole && entry.view?.isPartial === true ? await this.#read(bucket, entry, call) : entry.view;
      return view && { bucket, entry, view };
    });
    return rows.filter((row) => row !== undefined);
  }

  /** Undefined: it was removed since it was listed. */
  async #read(bucket: Bucket, { key, versionId }: ListedVersion, call: Call): Promise<ObjectView | undefined> {
    try {
      return await this.#options.manifest.objects.find({ bucket, key, versionId }, call);
    } catch (error) {
      if (isS3Error(error, 'NoSuchKey', 'NoSuchVersion')) return undefined;
      throw error;
    }
  }

  async #store(file: DataFile, keys: ReportKeys, call: Call): Promise<StoredFile> {
    const { contentType } = FORMATS[this.#inventory.destination.format];
    const body = await file.finish();
    const name = randomUUID();
    await this.#options.writer.put({ key: keys.data(name), body, contentType }, call);
    return { name, size: body.length, md5: createHash('md5').update(body).digest('hex') };
  }

  /**
   * Makes the report complete: the checksum comes last, and says that all else is there. A report of which a data file
   * is gone begins anew: a rule of the destination has removed it, or its owner has.
   * @throws Error: that has happened twice
   */
  async #finish({ progress, keys }: ReportSoFar, now: number, call: Call): Promise<InventoryProgress> {
    const { writer } = this.#options;
    const files = progress.files.map(({ name, ...sums }) => ({ key: keys.data(name), ...sums }));
    if (!(await writer.areThere(files, call))) {
      if (this.#hasBegunAnew) throw new Error('data files of the report are removed before it is complete');
      this.#hasBegunAnew = true;
      this.#hasWritten = true;
      return this.beginning(now);
    }
    const report = { inventory: this.#inventory, source: this.#source.name, columns: this.#columns, progress, keys };
    await writer.put(symlinkFile(report), call);
    const manifest = manifestFile(report);
    await writer.putOnce(manifest, call);
    await writer.put(checksumFile(keys, manifest.body), call);
    this.written = { manifest: keys.manifest, files: progress.files.length, rows: progress.rows };
    return { ...progress, phase: 'over' };
  }
}

interface ReportSoFar {
  readonly progress: InventoryProgress;
  readonly keys: ReportKeys;
}

/** Where a page begins, as listings are asked. */
function placeOf({ after, afterVersion }: PlaceSoFar): { readonly after: string; readonly afterVersion?: string } {
  return { after, ...(afterVersion !== undefined && { afterVersion }) };
}

interface PlaceSoFar {
  readonly after: string;
  readonly afterVersion?: string | undefined;
}

/** The beginning of the day, or of the week that begins with Sunday, in UTC. */
function beginningOf(frequency: Frequency, now: number): number {
  const days = Math.floor(now / DAY_MS);
  return (frequency === 'Daily' ? days : days - ((days + FIRST_WEEKDAY) % 7)) * DAY_MS;
}

/** Tells configurations apart: rows of one do not fit into the report of another. */
function digestOf(inventory: Inventory): string {
  return createHash('sha256').update(JSON.stringify(inventory)).digest('hex').slice(0, 32);
}
