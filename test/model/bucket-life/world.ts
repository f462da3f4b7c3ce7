import { setImmediate as turn } from 'node:timers/promises';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import type { Bucket } from '../../../src/manifest/records/bucket.ts';
import { type BucketRegistry, createBucketRegistry } from '../../../src/manifest/buckets/buckets.ts';
import { guardedObjects } from '../../../src/manifest/guards.ts';
import { createListing } from '../../../src/manifest/listing/listing.ts';
import { createClock } from '../../../src/manifest/records/clock.ts';
import { type Objects, createObjects } from '../../../src/manifest/objects/objects.ts';
import { createSettler } from '../../../src/manifest/versions/settle.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { readAll } from '../../../src/streams/bytes.ts';
import { putOf } from '../../support/manifest/manifest.ts';
import { testCall } from '../../support/test-call.ts';
import { TestTime } from '../../support/test-time.ts';
import { codeOf } from '../../unit/manifest/upload-fixture.ts';
import { Gate } from './gate.ts';

export const TTL = 1000;
const NAME = 'photos';
/** Turns of the event loop without a new call after which nothing moves by itself any more. */
const QUIET_TURNS = 4;

/** One gateway process: the real registry and objects over a store whose calls wait for the schedule. */
export class Process {
  readonly name: string;
  readonly time = new TestTime();
  readonly buckets: BucketRegistry;
  readonly #objects: Objects;
  readonly #listing = createListing();

  constructor(name: string, store: BlobStore) {
    this.name = name;
    const { time } = this;
    const backend = { name: 'test', store, systemContainer: 'system', ownerId: 'operator', time };
    this.buckets = createBucketRegistry({
      realm: { backends: [backend], backendOf: () => backend },
      cacheMs: TTL,
      onHidden: () => undefined,
      time,
    });
    const settler = createSettler({
      concurrency: 1,
      maxQueue: 10,
      newCall: () => testCall(),
      onError: () => undefined,
    });
    const objects = createObjects({ clock: createClock(time.now), settler, now: time.now });
    this.#objects = guardedObjects(objects, this.buckets);
  }

  create(ownerId: string): Promise<string> {
    return codeOf(this.buckets.create({ name: NAME, ownerId }, testCall()));
  }

  get(): Promise<Bucket> {
    return this.buckets.get(NAME, testCall());
  }

  delete(bucket: Bucket): Promise<string> {
    return codeOf(this.buckets.delete(bucket, (call) => this.#listing.isEmpty(bucket, call), testCall()));
  }

  /** Writes the uid of the bucket that it is meant for. */
  put(bucket: Bucket, key: string): Promise<string> {
    return codeOf(this.#objects.put({ bucket, key }, putOf(bucket.uid), testCall()));
  }
}

/** What a client was told. */
interface Told {
  readonly kind: 'put' | 'create' | 'delete';
  readonly outcome: string;
  /** Of the bucket that it was about; of a creation: absent. */
  readonly uid?: string;
  readonly key?: string;
  readonly owner?: string;
}

/** Two processes over one memory, and a bucket of TENANT's that both have in memory. */
export class World {
  readonly memory: MemoryBlobStore;
  readonly gate: Gate;
  readonly processes: readonly [Process, Process];
  readonly a: Process;
  readonly b: Process;
  readonly told: Told[] = [];
  /** Who has asked for the name. */
  readonly makers: string[] = [];
  readonly first: Bucket;

  private constructor(
    { memory, gate }: Pick<World, 'memory' | 'gate'>,
    processes: readonly [Process, Process],
    first: Bucket,
  ) {
    this.memory = memory;
    this.gate = gate;
    this.processes = processes;
    [this.a, this.b] = processes;
    this.first = first;
  }

  static async open(): Promise<World> {
    const memory = new MemoryBlobStore();
    const gate = new Gate();
    const processes = [
      new Process('A', gate.through(memory, 'A')),
      new Process('B', gate.through(memory, 'B')),
    ] as const;
    const [a, b] = processes;
    const begun = a.create('TENANT').then(() => Promise.all([a.get(), b.get()]));
    await drain(gate);
    const [first] = await begun;
    return new World({ memory, gate }, processes, first);
  }

  tell(told: Omit<Told, 'outcome'>, outcome: Promise<string>): void {
    void outcome.then((code) => this.told.push({ ...told, outcome: code }));
  }

  /** @returns what is wrong when everything has come to its end; empty: nothing */
  async judge(): Promise<string[]> {
    const wrong: string[] = [];
    const late = new Process('C', this.memory);
    // Whatever closes the name for a while is over.
    await late.get().catch(() => undefined);
    late.time.advance(61_000);
    const bucket = await late.get().catch(() => undefined);
    const held = bucket === undefined ? new Map<string, string>() : await this.#contents(bucket);
    for (const [key, uid] of held) {
      if (uid !== bucket?.uid) wrong.push(`${key} was meant for another bucket of the name`);
    }
    for (const { kind, outcome, uid, key = '', owner } of this.told) {
      if (kind === 'put' && outcome === 'NoSuchBucket' && held.get(key) === uid) {
        wrong.push(`${key} was told that its bucket is gone, and is there`);
      }
      if (outcome !== 'ok') continue;
      if (kind === 'put' && (bucket?.uid !== uid || !held.has(key))) wrong.push(`${key} was acknowledged, and is gone`);
      if (kind === 'delete' && bucket?.uid === uid) wrong.push('a bucket was deleted, and is there');
      // TENANT may have been told so of the bucket that was deleted then.
      if (kind === 'create' && owner !== 'TENANT' && bucket?.ownerId !== owner) {
        wrong.push(`${owner ?? ''} was told that the bucket is his`);
      }
    }
    const again = await this.#again(late, bucket?.ownerId);
    const put = again === 'ok' ? await late.put(await late.get(), 'again') : again;
    if (put !== 'ok') wrong.push(`the name cannot be used any more: ${put}`);
    return wrong;
  }

  /** By whoever has it, or had begun to make it. */
  async #again(process: Process, ownerId: string | undefined): Promise<string> {
    const owners = ownerId === undefined ? ['ANYBODY', ...this.makers] : [ownerId];
    let outcome = '';
    for (const owner of owners) {
      outcome = await process.create(owner);
      if (outcome === 'ok') break;
    }
    return outcome;
  }

  async #contents({ home: { container } }: Bucket): Promise<Map<string, string>> {
    const { entries } = await this.memory.list(container, { limit: 1000 }, testCall());
    const read = entries.map(async ({ name }) => {
      const { body } = await this.memory.read({ container, name }, {}, testCall());
      return [name, (await readAll(body)).toString()] as const;
    });
    return new Map(await Promise.all(read));
  }
}

/** Until all that moves by itself waits for the schedule, or for time. */
export async function quiet(gate: Gate): Promise<void> {
  let seen = -1;
  for (let turns = 0; turns < QUIET_TURNS; turns += 1) {
    await turn();
    if (gate.waiting.length !== seen) turns = 0;
    seen = gate.waiting.length;
  }
}

async function drain(gate: Gate): Promise<void> {
  await quiet(gate);
  while (gate.waiting.length > 0) {
    gate.waiting[0]?.let('pass');
    await quiet(gate);
  }
}
