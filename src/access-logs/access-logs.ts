import type { Bucket, Time } from '../manifest/index.ts';
import type { BucketLog } from '../observe/access-log/bucket-log.ts';
import { s3Line } from '../observe/access-log/s3-line.ts';
import type { Call } from '../observe/call.ts';
import type { Log } from '../observe/log.ts';
import type { RequestFacts, RequestObserver } from '../observe/request-facts.ts';
import { type LogObject, Undeliverable } from './deliver.ts';
import { type LogBatch, type LogOwner, WaitingRecords } from './waiting-records.ts';

interface AccessLogsSettings {
  /** A record waits no longer than this before its delivery begins. Milliseconds. */
  readonly intervalMs: number;
  /** A log object of so many bytes is delivered at once. */
  readonly objectBytes: number;
  /** All records in memory together, bytes. */
  readonly bufferBytes: number;
}

interface AccessLogsOptions {
  readonly settings: AccessLogsSettings;
  /** Writes a log object. @throws Undeliverable: it never will be; anything else: it may be tried again */
  readonly deliver: (object: LogObject, call: Call) => Promise<void>;
  readonly newCall: (signal: AbortSignal) => Call;
  readonly time: Time;
  readonly log: Log;
}

/** Log objects that are written at a time. */
const CONCURRENCY = 2;
/** Before the second attempt, and the next ones; after the last of these the records are dropped. Milliseconds. */
const RETRY_MS = [2000, 10_000, 30_000, 60_000, 120_000] as const;
/** Of one attempt, milliseconds. */
const ATTEMPT_MS = 30_000;
/** What is left when the process ends has so long to be delivered, milliseconds. */
const LAST_MS = 3000;

/** What became of records. */
interface RecordCounts {
  delivered: number;
  /** There was no room in memory. */
  noRoom: number;
  /** The target is gone, unfit, or does not let the delivery in. */
  refused: number;
  /** The backend failed too often. */
  failed: number;
}

/**
 * The server access logs of buckets, as far as requests of this process are concerned: gathers records in memory and
 * writes them to the buckets' targets, in the background. No request waits for any of it, and what it holds is bounded:
 * records beyond that are dropped and counted. Records in memory are lost when the process dies; S3 promises no more
 * (docs/decisions/0048-access-logs.md).
 */
export class AccessLogs implements RequestObserver {
  readonly counts: RecordCounts = { delivered: 0, noRoom: 0, refused: 0, failed: 0 };
  readonly #options: AccessLogsOptions;
  readonly #waiting: WaitingRecords;
  /** Ends the wait of a batch: until it is to be delivered, or tried again. */
  readonly #timers = new Map<LogBatch, () => void>();
  readonly #ready: OutgoingBatch[] = [];
  readonly #retrying = new Set<OutgoingBatch>();
  readonly #end = new AbortController();
  #running = 0;
  #onIdle: (() => void) | undefined;
  #closing = false;

  constructor(options: AccessLogsOptions) {
    this.#options = options;
    this.#waiting = new WaitingRecords(options.settings.bufferBytes);
  }

  /** Undefined: the bucket keeps no log. */
  logOf(bucket: Bucket): BucketLog | undefined {
    const { logging } = bucket.settings;
    if (logging === undefined) return undefined;
    const owner: LogOwner = { bucket: bucket.name, uid: bucket.uid, ownerId: bucket.ownerId, logging };
    return { bucket: owner.bucket, ownerId: owner.ownerId, add: (record, time) => this.#add(owner, record, time) };
  }

  ended(facts: RequestFacts): void {
    if (facts.accesses === undefined) return;
    for (const access of facts.accesses) access.log.add(s3Line(facts, access), facts.head.arrivedAt);
  }

  /** Memory that records take, bytes. */
  get waitingBytes(): number {
    return this.#waiting.bytes;
  }

  /** Log objects whose delivery failed and is to be tried again. */
  get failing(): number {
    return this.#retrying.size;
  }

  /** Begins to deliver all that is there. */
  flush(): void {
    for (const batch of this.#waiting.growing()) this.#send(batch);
  }

  /** Delivers what is there, as far as that goes within seconds; the rest is dropped. */
  async close(): Promise<void> {
    this.#closing = true;
    this.flush();
    for (const outgoing of this.#retrying) this.#again(outgoing);
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        const stop = this.#options.time.after(LAST_MS, resolve);
        this.#onIdle = () => {
          stop();
          resolve();
        };
      });
    }
    this.#end.abort(new Error('the process ends'));
    if (this.#waiting.bytes === 0) return;
    this.#options.log.warn(
      { bytes: this.#waiting.bytes },
      'the process ends before all records of server access logs were delivered',
    );
  }

  #add(owner: LogOwner, record: string, time: number): void {
    const added = this.#closing ? undefined : this.#waiting.add(owner, record, time);
    if (added === undefined) {
      this.counts.noRoom += 1;
      return;
    }
    const { batch, isNew } = added;
    const { intervalMs, objectBytes } = this.#options.settings;
    if (isNew) {
      this.#timers.set(
        batch,
        this.#options.time.after(intervalMs, () => this.#send(batch)),
      );
    }
    if (batch.bytes >= objectBytes) this.#send(batch);
  }

  #send(batch: LogBatch): void {
    this.#stopTimer(batch);
    this.#waiting.close(batch);
    this.#ready.push({ batch, object: { ...batch, key: undefined }, attempts: 0 });
    this.#pump();
  }

  #pump(): void {
    while (this.#running < CONCURRENCY) {
      const next = this.#ready.shift();
      if (next === undefined) return;
      this.#running += 1;
      void this.#attempt(next).finally(() => {
        this.#running -= 1;
        this.#pump();
        if (this.#running === 0) this.#onIdle?.();
      });
    }
  }

  async #attempt(outgoing: OutgoingBatch): Promise<void> {
    const { deliver, newCall, time } = this.#options;
    const call = newCall(AbortSignal.any([this.#end.signal, time.timeout(ATTEMPT_MS)]));
    outgoing.attempts += 1;
    try {
      await deliver(outgoing.object, call);
      this.counts.delivered += outgoing.batch.records.length;
      this.#waiting.forget(outgoing.batch);
    } catch (error) {
      this.#failed(outgoing, error);
    }
  }

  #failed(outgoing: OutgoingBatch, error: unknown): void {
    const delay = RETRY_MS[outgoing.attempts - 1];
    if (error instanceof Undeliverable || delay === undefined || this.#closing) {
      this.#drop(outgoing, error instanceof Undeliverable ? 'refused' : 'failed', error);
      return;
    }
    this.#retrying.add(outgoing);
    this.#timers.set(
      outgoing.batch,
      this.#options.time.after(delay, () => this.#again(outgoing)),
    );
  }

  #again(outgoing: OutgoingBatch): void {
    this.#stopTimer(outgoing.batch);
    this.#retrying.delete(outgoing);
    this.#ready.push(outgoing);
    this.#pump();
  }

  #drop({ batch }: OutgoingBatch, reason: 'refused' | 'failed', error: unknown): void {
    const { owner, records } = batch;
    this.counts[reason] += records.length;
    this.#waiting.forget(batch);
    const { bucket, logging } = owner;
    this.#options.log.warn(
      { bucket, targetBucket: logging.targetBucket, records: records.length, err: error },
      'records of a server access log were dropped: they cannot be delivered',
    );
  }

  #stopTimer(batch: LogBatch): void {
    this.#timers.get(batch)?.();
    this.#timers.delete(batch);
  }
}

/** A batch that is to be written. */
interface OutgoingBatch {
  readonly batch: LogBatch;
  readonly object: LogObject;
  attempts: number;
}
