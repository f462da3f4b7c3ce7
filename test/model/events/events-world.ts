import { setImmediate as nextTurn } from 'node:timers/promises';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import { type Courier, ReceiverNotReached } from '../../../src/manifest/events/courier.ts';
import { CommitLife } from '../../../src/manifest/heads/commit-life.ts';
import { Outbox } from '../../../src/manifest/events/outbox.ts';
import type { Bucket, Versioning } from '../../../src/manifest/records/bucket.ts';
import type { ObjectEvent } from '../../../src/manifest/records/change-intent.ts';
import { RECORD_NAME } from '../../../src/manifest/records/record.ts';
import { SYSTEM_TIME } from '../../../src/manifest/records/time.ts';
import { createClock } from '../../../src/manifest/records/clock.ts';
import { type Objects, createObjects } from '../../../src/manifest/objects/objects.ts';
import { type Uploads, createUploads } from '../../../src/manifest/uploads/uploads.ts';
import { createSettler } from '../../../src/manifest/versions/settle.ts';
import type { Call } from '../../../src/observe/call.ts';
import type { NotificationRule } from '../../../src/protocol/notifications/notification-rule.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import { type PortMethod, wrapStore } from '../../../src/store/wrap-store.ts';
import { testManifest } from '../../support/manifest/manifest.ts';
import type { Random } from '../../support/random.ts';
import { testCall } from '../../support/test-call.ts';

const CHANGING: ReadonlySet<PortMethod> = new Set(['write', 'setMetadata', 'copy', 'remove']);

/** What becomes of a call whose answer is lost. */
const FATES = ['done', 'undone', 'late'] as const;
/** Turns of the loop after which a late call has landed. A change takes some thirty. */
const LATEST = 200;
/** Entries of a listing's page: where they are few, pages end within a key. */
const PAGES = [4, 5000];
/** So long does a receiver take for a message at times. A claim is renewed before the next one. */
const SLOW_MS = 6_000;

const RULE: NotificationRule = {
  id: 'all',
  kind: 'queue',
  target: 'arn:aws:sqs:us-east-1:000000000000:all',
  events: ['s3:ObjectCreated:*', 's3:ObjectRemoved:*', 's3:ObjectTagging:*'],
};

/** How often what goes wrong; one in so many calls, 0: never. */
export interface Misfortunes {
  readonly kill: number;
  readonly lose: number;
}

/** One process over the store: it dies at some call, and then nothing of it is heard any more. */
export class EventProcess {
  readonly store: BlobStore;
  readonly objects: Objects;
  readonly uploads: Uploads;
  readonly outbox: Outbox;
  /** Resolves when it dies. */
  readonly died: Promise<'died'>;
  isAlive = true;
  readonly #world: EventsWorld;
  #die: (() => void) | undefined;

  constructor(world: EventsWorld, misfortunes: Misfortunes) {
    this.died = new Promise((resolve) => (this.#die = () => resolve('died')));
    this.#world = world;
    const store = this.#through(world.truth, world.random, misfortunes);
    this.store = store;
    const bucket = world.bucketOver(store);
    const settler = createSettler({
      concurrency: 2,
      maxQueue: 100,
      newCall: () => testCall(),
      onError: () => undefined,
    });
    // A commit of a process that died is under way for ever: no timer waits for it.
    const commits = new CommitLife({ after: () => () => undefined, monotonic: () => performance.now() });
    const clock = createClock();
    this.objects = createObjects({ clock, settler, commits });
    this.uploads = createUploads({ clock, settler, commits, objects: this.objects, minPartSize: 1 });
    const time = { ...SYSTEM_TIME, monotonic: world.monotonic };
    const backend = { name: 'test', store, systemContainer: 'system', ownerId: bucket.ownerId, time };
    this.outbox = new Outbox({
      backends: [backend],
      buckets: { get: async () => bucket, latest: async () => bucket },
      courier: world.courier,
      bounds: { maxAgeMs: 3_600_000, maxBehind: 100_000 },
      clockOf: () => ({ readClock: async () => ({ service: world.serviceTime(), sent: 0, received: 0 }) }),
      onProblem: (error) => world.problems.push(error),
    });
  }

  kill(): void {
    this.isAlive = false;
    this.#world.dead += 1;
    this.#die?.();
  }

  #isDead(): boolean {
    return !this.isAlive;
  }

  #through(store: BlobStore, random: Random, { kill, lose }: Misfortunes): BlobStore {
    return wrapStore(store, async ({ method }, run) => {
      for (let turns = random.below(4); turns > 0; turns -= 1) await nextTurn();
      const isLast = kill > 0 && random.oneIn(kill);
      const isDone = !isLast || random.oneIn(2);
      if (this.#isDead()) return new Promise(() => undefined);
      if (isLast) this.kill();
      const isLost = lose > 0 && CHANGING.has(method) && random.oneIn(lose);
      const fate = isLost ? random.pick(FATES) : 'done';
      const result = isDone && fate === 'done' ? await run() : undefined;
      if (fate === 'late') this.#world.late(random.below(LATEST), run);
      if (this.#isDead()) return new Promise(() => undefined);
      if (isLost) throw new StoreError('unavailable', { call: method, lost: true });
      return result as Awaited<ReturnType<typeof run>>;
    });
  }
}

/** A bucket whose events are asked for, what was done to it, and what a receiver was sent. */
export class EventsWorld {
  readonly random: Random;
  /** The store, and what each request changed in the bucket's container. */
  readonly truth: BlobStore;
  readonly changed = new Map<string, number>();
  /** Of them those that changed a version's own blob. */
  readonly described = new Set<string>();
  readonly sent: ObjectEvent[] = [];
  readonly problems: unknown[] = [];
  isDown = false;
  dead = 0;
  #ahead = 0;
  readonly #landing = new Set<Promise<void>>();
  #bucket: Bucket | undefined;
  #changes = 0;

  private constructor(random: Random) {
    this.random = random;
    this.truth = wrapStore(
      new MemoryBlobStore({ now: () => this.serviceTime(), capabilities: { maxListPage: random.pick(PAGES) } }),
      async ({ method, ref, call }, run) => {
        const result = await run();
        // In a bucket with versions what is removed is a void: whoever meets one tidies it up.
        const isCommit = CHANGING.has(method) && (method !== 'remove' || this.#bucket?.versioning === 'never');
        // What is said of a version with an id of its own is said by its own blob.
        const isSaid = method === 'setMetadata' && ref.name?.startsWith('v/') === true && isTagging(call);
        if (isSaid) this.described.add(call.requestId);
        if ((ref.container !== 'system' && isCommit) || isSaid) this.changed.set(call.requestId, (this.#changes += 1));
        return result;
      },
    );
  }

  static async open(random: Random, versioning: Versioning): Promise<EventsWorld> {
    const world = new EventsWorld(random);
    const { bucket } = await testManifest({ store: world.truth });
    world.#bucket = { ...bucket, versioning, settings: { notifications: [RULE] } };
    // Of a later release, in the folder of another bucket, which is looked at first.
    const ofAnother = { container: 'system', name: 'n/00000000-0000-0000-0000-000000000000/k!!1' };
    await world.truth.write(ofAnother, new Uint8Array(0), { metadata: { [RECORD_NAME]: '{"v":2}' } }, testCall());
    return world;
  }

  /** A call that its caller waits for no more comes to pass, or fails, so many turns of the loop from now. */
  late(turns: number, run: () => Promise<unknown>): void {
    const landing = (async () => {
      for (let n = 0; n < turns; n += 1) await nextTurn();
      await run();
    })().catch(() => undefined);
    this.#landing.add(landing);
    void landing.then(() => this.#landing.delete(landing));
  }

  /** Resolves when no late call is on its way. */
  async landed(): Promise<void> {
    while (this.#landing.size > 0) await Promise.all(this.#landing);
  }

  /** Longer than a claim that nobody renews, and than receivers are left alone. */
  later(): void {
    this.#ahead += 100_000;
  }

  readonly monotonic = (): number => performance.now() + this.#ahead;

  serviceTime(): number {
    return Date.now() + this.#ahead;
  }

  readonly courier: Courier = {
    receiverOf: (target) => target,
    atOnce: () => 1 + this.random.below(3),
    send: async (_bucket, _rule, events) => {
      if (this.random.oneIn(3)) this.#ahead += SLOW_MS;
      if (this.isDown) throw new ReceiverNotReached('ECONNREFUSED');
      this.sent.push(...events);
      // Taken, and its answer lost.
      if (this.random.oneIn(30)) throw new ReceiverNotReached('TimeoutError');
    },
  };

  bucketOver(store: BlobStore): Bucket {
    if (this.#bucket === undefined) throw new Error('not open');
    return { ...this.#bucket, home: { ...this.#bucket.home, store } };
  }

  newCall(requestId: string, operation: string): Call {
    const occasion = { operation, principalId: 'AWS:TEST', requester: '1', sourceAddress: '192.0.2.1', hostId: 'HOST' };
    return { ...testCall(), requestId, occasion };
  }
}

function isTagging({ occasion }: Call): boolean {
  return occasion?.operation === 'PutObjectTagging';
}
