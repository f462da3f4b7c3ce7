/*
 * Events, sent: what changes have announced (`heads/announce.ts`). Begin here. `bucket-outbox.ts` is a pass over one
 * bucket; `intent-pages.ts` finds what was committed, by the rules of `resolve.ts`; what receivers do not take waits in
 * `backlog.ts`. Why it is done so: docs/decisions/0047-events.md.
 */
import { isS3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import type { NotificationRule } from '../../protocol/notifications/notification-rule.ts';
import type { BlobEntry } from '../../store/blob-store.ts';
import { blobsOf, pagesOf } from '../../store/pages.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { SurveyedStore } from '../../store/survey.ts';
import type { BucketRegistry } from '../buckets/buckets.ts';
import type { Backend } from '../buckets/realm.ts';
import type { Bucket } from '../records/bucket.ts';
import { ALL_INTENTS, decodeIntent } from '../records/change-intent.ts';
import { timeOf } from '../records/time.ts';
import { BackOff } from './back-off.ts';
import { ALL_BACKLOGS, batchOf, destinationIn } from './backlog.ts';
import { BucketOutbox, type OutboxBounds } from './bucket-outbox.ts';
import type { Courier } from './courier.ts';
import { EventLease } from './event-lease.ts';
import { EventTally } from './event-tally.ts';
import { OpenIntents } from './open-intents.ts';
import type { PassPlace } from './pass-share.ts';

interface OutboxOptions {
  readonly backends: readonly Backend[];
  readonly buckets: Pick<BucketRegistry, 'get' | 'latest'>;
  readonly courier: Courier;
  readonly bounds: OutboxBounds;
  /** Tells the time of a backend's service; undefined: this machine's time counts. */
  readonly clockOf: (backend: Backend) => Pick<SurveyedStore, 'readClock'> | undefined;
  /**
   * Told what went wrong and is tried again. @param bucket undefined: with a backend as a whole
   * @param rule whose receiver did not take an event; undefined: no receiver has to do with it
   */
  readonly onProblem: (error: unknown, bucket: string | undefined, rule?: NotificationRule) => void;
}

/** A bucket of which something is to be sent, as far as its blobs tell. */
interface Pending {
  readonly uid: string;
  readonly name: string;
}

interface Search {
  readonly prefix: string;
  /** @returns undefined: nothing of it can be sent now @throws Error: it cannot be read */
  readonly dueName: (entry: BlobEntry) => string | undefined;
}

/** Sends events of all buckets of some backends, beside other processes that do the same. */
export class Outbox {
  readonly tally: EventTally;
  readonly #options: OutboxOptions;
  readonly #backOff: BackOff;
  readonly #open: OpenIntents;
  /** By uid of the bucket where the last pass of this process was cut off, until one was not. */
  readonly #cut = new Map<string, PassPlace>();

  constructor(options: OutboxOptions) {
    const { monotonic } = timeOf(options.backends[0] ?? {});
    this.#options = options;
    this.tally = new EventTally(monotonic);
    this.#backOff = new BackOff(monotonic);
    this.#open = new OpenIntents(monotonic);
  }

  /**
   * Sends what there is to be sent, each bucket in a pass of bounded time. @returns 0: there is nothing to go on with;
   * otherwise changes were done with, and more may have come meanwhile, or passes were cut off.
   * @throws StoreError aborted
   */
  async round(call: Call): Promise<number> {
    let done = 0;
    this.#backOff.beginRound();
    for (const backend of this.#options.backends) {
      try {
        for (const pending of await this.#pending(backend, call)) done += await this.#bucket(backend, pending, call);
      } catch (error) {
        if (call.signal.aborted || isStoreError(error, 'aborted')) throw error;
        this.#options.onProblem(error, undefined);
      }
    }
    return done;
  }

  async #bucket(backend: Backend, { uid, name }: Pending, call: Call): Promise<number> {
    try {
      const bucket = await this.#find(name, call);
      // What a deleted bucket left is the sweeper's.
      if (bucket?.uid !== uid || bucket.home.backend !== backend.name) return 0;
      return await this.#send(backend, bucket, call);
    } catch (error) {
      if (call.signal.aborted || isStoreError(error, 'aborted')) throw error;
      // Another process has taken over.
      if (!isStoreError(error, 'conditionFailed')) this.#options.onProblem(error, name);
      return 0;
    }
  }

  async #send(backend: Backend, bucket: Bucket, call: Call): Promise<number> {
    const { courier, bounds } = this.#options;
    const now = await this.#askTime(backend, call);
    const { store, system } = bucket.home;
    const ref = { container: system, name: `l/${bucket.uid}/events` };
    const lease = await EventLease.claim({ store, ref, time: timeOf(backend) }, now, call);
    if (lease === undefined) return 0;
    const onProblem = (error: unknown, rule?: NotificationRule): void =>
      this.#options.onProblem(error, bucket.name, rule);
    const { monotonic } = timeOf(backend);
    const shared = { courier, bounds, backOff: this.#backOff, tally: this.tally, open: this.#open, monotonic };
    const place = this.#cut.get(bucket.uid);
    const { done, cut } = await new BucketOutbox({ bucket, now, lease, onProblem, place, ...shared }).pass(call);
    if (cut === undefined) this.#cut.delete(bucket.uid);
    else this.#cut.set(bucket.uid, cut);
    await lease.release(call);
    return cut === undefined ? done : done + 1;
  }

  async #askTime(backend: Backend, call: Call): Promise<number> {
    const clock = this.#options.clockOf(backend);
    if (clock === undefined) return timeOf(backend).now();
    const { service } = await clock.readClock(call);
    if (!Number.isFinite(service)) throw new Error('the service does not tell the time');
    return service;
  }

  /**
   * The bucket as its record says now: one that is remembered may not have a configuration that was put a moment ago.
   * Undefined: it is deleted, or cannot be served.
   */
  async #find(name: string, call: Call): Promise<Bucket | undefined> {
    const { buckets } = this.#options;
    try {
      return await buckets.latest(await buckets.get(name, call), call);
    } catch (error) {
      if (!isS3Error(error, 'NoSuchBucket', 'OperationAborted', 'InvalidBucketState')) throw error;
      return undefined;
    }
  }

  /** The buckets of which something can be sent: a call for each region, and one for each bucket found there. */
  async #pending(backend: Backend, call: Call): Promise<readonly Pending[]> {
    const found = new Map<string, Pending>();
    for (const { region, dueName } of this.#regions) {
      for await (const folder of foldersOf(backend, region, call)) {
        const uid = folder.slice(region.length, -1);
        if (found.has(uid)) continue;
        const name = await this.#firstName(backend, { prefix: folder, dueName: (entry) => dueName(entry, uid) }, call);
        if (name !== undefined) found.set(uid, { uid, name });
      }
    }
    return [...found.values()];
  }

  /**
   * What a later release has written, or what is damaged, holds up neither its bucket nor others. It is told of as
   * often as other intents are looked at of which nothing can be told.
   */
  async #firstName(backend: Backend, { prefix, dueName }: Search, call: Call): Promise<string | undefined> {
    for await (const page of pagesOf(backend.store, backend.systemContainer, { prefix }, call)) {
      for (const entry of blobsOf(page)) {
        try {
          const name = dueName(entry);
          if (name !== undefined) return name;
        } catch (error) {
          if (!this.#open.isDue(entry)) continue;
          this.#open.note([entry]);
          this.#options.onProblem(new Error(`${entry.name} cannot be read`, { cause: error }), undefined);
        }
      }
    }
    return undefined;
  }

  /** Where something waits to be sent, and the bucket's name in what is due. */
  readonly #regions = [
    {
      region: ALL_INTENTS,
      dueName: (entry: BlobEntry) => (this.#open.isDue(entry) ? decodeIntent(entry.metadata).bucket : undefined),
    },
    {
      region: ALL_BACKLOGS,
      dueName: (entry: BlobEntry, uid: string) => {
        const { bucket, target } = batchOf(entry);
        const receiver = this.#options.courier.receiverOf(target);
        return this.#backOff.isOff({ uid, name: destinationIn(entry), receiver }) ? undefined : bucket;
      },
    },
  ];
}

async function* foldersOf({ store, systemContainer }: Backend, prefix: string, call: Call): AsyncGenerator<string> {
  try {
    for await (const page of pagesOf(store, systemContainer, { prefix, delimiter: '/' }, call)) {
      for (const { kind, name } of page) if (kind === 'prefix') yield name;
    }
  } catch (error) {
    // Before the first bucket there is no system container.
    if (!isStoreError(error, 'containerNotFound')) throw error;
  }
}
