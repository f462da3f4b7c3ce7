import type { BucketLogging } from '../protocol/logging/bucket-logging.ts';
import { partitionedBy } from '../protocol/logging/bucket-logging.ts';

/** Whose log records belong to, and where it went when they were made. */
export interface LogOwner {
  readonly bucket: string;
  /** Two buckets of one name, one after the other, are not the same. */
  readonly uid: string;
  /** Canonical id. */
  readonly ownerId: string;
  readonly logging: BucketLogging;
}

/** The records of one log object, which is still growing or on its way. */
export interface LogBatch {
  readonly owner: LogOwner;
  /** When the first record's request came, milliseconds since 1970. */
  readonly since: number;
  readonly records: string[];
  /** With line breaks; all records are ASCII. */
  bytes: number;
}

/** About what a batch takes besides its records. */
const BATCH_BYTES = 1024;
/** About what a record takes besides its text. */
const RECORD_BYTES = 64;
const DAY_MS = 86_400_000;

/**
 * Records in memory, by the log object that they will be in. All of them together are bounded, those on their way
 * included, and one bucket gets at most half of that: a busy bucket leaves others room.
 */
export class WaitingRecords {
  readonly #maxBytes: number;
  readonly #growing = new Map<string, LogBatch>();
  /** What each bucket's records take, by its uid. */
  readonly #byBucket = new Map<string, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** What all of them take. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * @param time of the request's arrival, milliseconds since 1970
   * @returns the batch that holds it now, and whether it is the first there; undefined: there is no room
   */
  add(
    owner: LogOwner,
    record: string,
    time: number,
  ): { readonly batch: LogBatch; readonly isNew: boolean } | undefined {
    const name = nameOf(owner, time);
    const known = this.#growing.get(name);
    const taken = record.length + RECORD_BYTES + (known === undefined ? BATCH_BYTES : 0);
    const ofBucket = (this.#byBucket.get(owner.uid) ?? 0) + taken;
    if (this.#bytes + taken > this.#maxBytes || ofBucket > this.#maxBytes / 2) return undefined;
    this.#bytes += taken;
    this.#byBucket.set(owner.uid, ofBucket);
    const batch = known ?? { owner, since: time, records: [], bytes: 0 };
    if (known === undefined) this.#growing.set(name, batch);
    batch.records.push(record);
    batch.bytes += record.length + 1;
    return { batch, isNew: known === undefined };
  }

  /** It grows no more; the next record begins another one. */
  close(batch: LogBatch): void {
    const name = nameOf(batch.owner, batch.since);
    if (this.#growing.get(name) === batch) this.#growing.delete(name);
  }

  /** All that grow. */
  growing(): readonly LogBatch[] {
    return [...this.#growing.values()];
  }

  /** It was delivered or dropped. */
  forget(batch: LogBatch): void {
    this.close(batch);
    const { owner, records, bytes } = batch;
    const taken = bytes - records.length + records.length * RECORD_BYTES + BATCH_BYTES;
    this.#bytes -= taken;
    const left = (this.#byBucket.get(owner.uid) ?? 0) - taken;
    if (left > 0) this.#byBucket.set(owner.uid, left);
    else this.#byBucket.delete(owner.uid);
  }
}

/** Records of one name go into one object: of one bucket, to one place, and, partitioned by EventTime, of one day. */
function nameOf({ uid, logging }: LogOwner, time: number): string {
  const day = partitionedBy(logging) === 'EventTime' ? Math.floor(time / DAY_MS) : undefined;
  return JSON.stringify([uid, day, logging]);
}
