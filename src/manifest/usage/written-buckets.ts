import { randomUUID } from 'node:crypto';
import type { Call } from '../../observe/call.ts';
import { mapConcurrent } from '../../streams/map-concurrent.ts';
import type { Bucket } from '../records/bucket.ts';
import type { Time } from '../records/time.ts';
import { CLOCK_SLACK_MS, encodeWritten, writtenName } from '../records/usage-record.ts';
import type { KnownUsage } from './usage-records.ts';
import { type WrittenAmount, WriteLedger } from './write-ledger.ts';

interface WrittenOptions {
  readonly time: Time;
  /** Others are told so long after something was written. */
  readonly exchangeMs: number;
  /** What was written longer ago is forgotten. */
  readonly maxAgeMs: number;
  /** For what serves no request. */
  readonly newCall: () => Call;
  readonly onProblem: (error: unknown) => void;
}

interface Written {
  readonly bucket: Bucket;
  readonly ledger: WriteLedger;
  /** Something was written that others have not been told. */
  isNews: boolean;
  /** When others were told last, by the monotonic clock; infinity: never. */
  toldAt: number;
}

/** What was read of the records of some buckets. */
export interface ReadRecords {
  readonly known: readonly KnownUsage[];
  /** Before they were listed, by the monotonic clock. */
  readonly askedAt: number;
  /** Whether the records of the bucket would have been found. */
  readonly isCovered: (bucket: Bucket) => boolean;
}

const EMPTY = new Uint8Array(0);
/** Buckets about which others are told at a time. */
const CONCURRENCY = 16;

/** What this process has written into buckets with a quota, and tells the others. */
export class WrittenBuckets {
  /** The id of this process in names of records. */
  readonly writer = randomUUID();
  readonly #options: WrittenOptions;
  /** By uid. */
  readonly #written = new Map<string, Written>();
  #cancelTelling: (() => void) | undefined;
  #telling: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: WrittenOptions) {
    this.#options = options;
  }

  note(bucket: Bucket, addition: WrittenAmount): void {
    const written = this.#written.get(bucket.uid) ?? {
      bucket,
      ledger: new WriteLedger(),
      isNews: false,
      toldAt: Infinity,
    };
    this.#written.set(bucket.uid, written);
    written.ledger.add(this.#options.time.now(), addition);
    written.isNews = true;
    this.#tellLater();
  }

  spansOf(uid: string): WriteLedger['spans'] {
    return this.#written.get(uid)?.ledger.spans ?? [];
  }

  get buckets(): readonly Bucket[] {
    return [...this.#written.values()].map(({ bucket }) => bucket);
  }

  /**
   * Lets go of what a pass has counted, of what is too old, and of buckets that are gone: a pass has removed what this
   * process had told of them.
   * @param now milliseconds since the epoch
   */
  forget({ known, askedAt, isCovered }: ReadRecords, now: number): void {
    for (const { uid, counted } of known) {
      if (counted !== undefined) this.#written.get(uid)?.ledger.forgetBefore(counted.startedAt - CLOCK_SLACK_MS);
    }
    const found = new Set(known.map(({ uid }) => uid));
    for (const [uid, { bucket, ledger, isNews, toldAt }] of this.#written) {
      ledger.forgetBefore(now - this.#options.maxAgeMs);
      const isGone = toldAt < askedAt && isCovered(bucket) && !found.has(uid);
      if (!isNews && (isGone || ledger.spans.length === 0)) this.#written.delete(uid);
    }
  }

  /** Tells others what is not told yet, and nothing more from then on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTelling?.();
    await this.#telling;
    await this.#tell();
  }

  #tellLater(): void {
    if (this.#isClosed) return;
    const { time, exchangeMs } = this.#options;
    this.#cancelTelling ??= time.after(exchangeMs, () => {
      this.#telling = this.#tell().finally(() => {
        this.#cancelTelling = undefined;
        if ([...this.#written.values()].some(({ isNews }) => isNews)) this.#tellLater();
      });
    });
  }

  /** Writes down what others do not know yet. What cannot be written is tried again. */
  async #tell(): Promise<void> {
    const news = [...this.#written.values()].filter(({ isNews }) => isNews);
    await mapConcurrent(news, CONCURRENCY, (written) => this.#tellOf(written));
  }

  async #tellOf(written: Written): Promise<void> {
    const { bucket, ledger } = written;
    written.isNews = false;
    const ref = { container: bucket.home.system, name: writtenName(bucket, this.writer) };
    const metadata = encodeWritten({ bucket: bucket.name, spans: ledger.spans });
    try {
      await bucket.home.store.write(ref, EMPTY, { metadata }, this.#options.newCall());
      written.toldAt = this.#options.time.monotonic();
    } catch (error) {
      written.isNews = true;
      this.#options.onProblem(error);
    }
  }
}
