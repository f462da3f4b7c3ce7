import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import { createBucketRegistry } from '../../../src/manifest/buckets/buckets.ts';
import { createObjects } from '../../../src/manifest/objects/objects.ts';
import type { Bucket } from '../../../src/manifest/records/bucket.ts';
import { createClock } from '../../../src/manifest/records/clock.ts';
import type { UploadTarget } from '../../../src/manifest/records/upload-names.ts';
import type { ListedPart } from '../../../src/manifest/uploads/upload-plan.ts';
import { type Uploads, createUploads } from '../../../src/manifest/uploads/uploads.ts';
import { createSettler } from '../../../src/manifest/versions/settle.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { readAll } from '../../../src/streams/bytes.ts';
import { testCall } from '../../support/test-call.ts';
import { TestTime } from '../../support/test-time.ts';
import { codeOf, md5Of } from '../../unit/manifest/upload-fixture.ts';
import { Gate, type Fate } from '../bucket-life/gate.ts';
import { quiet } from '../bucket-life/world.ts';

const OWNER = 'owner';
const FIRST = 'first';

/** One process: it knows the upload already, as one does that has had a part of it. */
class Process {
  readonly name: string;
  readonly #objects;
  readonly #uploads: Uploads;

  constructor(name: string, store: BlobStore) {
    this.name = name;
    const settler = createSettler({
      concurrency: 2,
      maxQueue: 10,
      newCall: () => testCall(),
      onError: () => undefined,
    });
    const clock = createClock();
    this.#objects = createObjects({ clock, settler });
    this.#uploads = createUploads({ clock, settler, objects: this.#objects, minPartSize: 1 });
    this.store = store;
  }

  readonly store: BlobStore;

  create(bucket: Bucket): Promise<UploadTarget> {
    const attributes = { headers: {}, userMetadata: {} };
    return this.#uploads.create({ bucket, key: 'k' }, { ownerId: OWNER, attributes }, testCall());
  }

  /** As the operation does it: what is known of the upload is enough. */
  async part(target: UploadTarget, text: string): Promise<string> {
    const body = Buffer.from(text);
    const put = async (): Promise<unknown> => {
      const upload = await this.#uploads.recall(target, testCall());
      return this.#uploads.putPart(upload, { number: 1, body, facts: { md5: md5Of(body) } }, testCall());
    };
    return codeOf(put());
  }

  /** @param pause called when the upload is claimed, and nothing published */
  complete(target: UploadTarget, text: string, pause: () => void): Promise<string> {
    const parts: ListedPart[] = [{ number: 1, etag: md5Of(text), checksums: {} }];
    const request = { parts, expected: {}, conditions: {} };
    const hooks = { beforeAssembly: () => undefined, beforePublication: async () => pause() };
    return codeOf(this.#uploads.complete(target, { ...request, ...hooks }, testCall()));
  }

  abort(target: UploadTarget): Promise<string> {
    return codeOf(this.#uploads.abort(target, testCall()));
  }

  async listed(target: UploadTarget): Promise<readonly string[]> {
    const upload = await this.#uploads.find(target, testCall());
    const { parts } = await this.#uploads.listParts(upload, { after: 0, limit: 10 }, testCall());
    return parts.map(({ etag }) => etag);
  }

  async text(bucket: Bucket): Promise<string> {
    const { body } = await this.#objects.open({ bucket, key: 'k' }, {}, testCall());
    return (await readAll(body)).toString();
  }
}

/** What a client was told, and when: in steps of the schedule. */
interface Told {
  readonly kind: 'part' | 'complete' | 'abort';
  readonly text: string;
  readonly begun: number;
  ended: number;
  outcome: string;
}

/** Two processes that know an open upload with a part, over one memory. */
export class World {
  /** Of both processes and the service. */
  readonly time = new TestTime();
  readonly memory = new MemoryBlobStore({ now: this.time.now });
  readonly gate = new Gate();
  readonly a: Process;
  readonly b: Process;
  readonly told: Told[] = [];
  step = 0;
  /** The note of how it ended, or the removal of the upload's record, met a fault. */
  recordStayed = false;
  /** Milliseconds for which a Complete stands still between its claim and its publication. */
  pausesMs = 0;
  bucket!: Bucket;
  target!: UploadTarget;

  private constructor() {
    this.a = new Process('A', this.gate.through(this.memory, 'A'));
    this.b = new Process('B', this.gate.through(this.memory, 'B'));
  }

  static async open(): Promise<World> {
    const world = new World();
    const backend = { name: 'test', store: world.memory, systemContainer: 'system', ownerId: OWNER };
    const realm = { backends: [backend], backendOf: () => backend };
    const buckets = createBucketRegistry({ realm, cacheMs: 60_000, onHidden: () => undefined });
    await buckets.create({ name: 'photos', ownerId: OWNER }, testCall());
    world.bucket = await buckets.get('photos', testCall());
    for (const process of [world.a, world.b]) {
      const bucket = { ...world.bucket, home: { ...world.bucket.home, store: process.store, time: world.time } };
      world.bucketOf.set(process, bucket);
    }
    const begun = async (): Promise<void> => {
      world.target = await world.a.create(world.bucketOf.get(world.a) as Bucket);
      await world.b.part(world.at(world.b), FIRST);
      await world.a.part(world.at(world.a), FIRST);
    };
    await world.#drained(begun());
    return world;
  }

  readonly bucketOf = new Map<Process, Bucket>();

  at(process: Process): UploadTarget {
    return { ...this.target, bucket: this.bucketOf.get(process) ?? this.bucket };
  }

  /** Begins what a client asks a process for. */
  begin(kind: Told['kind'], process: Process, text = FIRST): Told {
    const told: Told = { kind, text, begun: this.step, ended: Infinity, outcome: 'none' };
    this.told.push(told);
    void this.#ask(told, process).then((outcome) => Object.assign(told, { outcome, ended: this.step }));
    return told;
  }

  #ask({ kind, text }: Told, process: Process): Promise<string> {
    const target = this.at(process);
    if (kind === 'abort') return process.abort(target);
    if (kind === 'part') return process.part(target, text);
    return process.complete(target, text, () => this.time.advance(this.pausesMs));
  }

  async #drained(work: Promise<void>): Promise<void> {
    await quiet(this.gate);
    while (this.gate.waiting.length > 0) {
      this.gate.waiting[0]?.let('pass');
      await quiet(this.gate);
    }
    await work;
  }

  async names(prefix: string): Promise<string[]> {
    const { entries } = await this.memory.list('system', { prefix, limit: 100 }, testCall());
    return entries.map(({ name }) => name);
  }

  /** @returns what is wrong when everything has come to its end */
  async judge(faults: readonly (Fate | 'crash')[]): Promise<string[]> {
    const wrong: string[] = [];
    const late = new Process('C', this.memory);
    const target = { ...this.target, bucket: this.bucket };
    const ends = this.told.filter(({ kind, outcome }) => kind !== 'part' && outcome === 'ok');
    const [end] = ends;
    if (new Set(ends.map(({ kind }) => kind)).size > 1) wrong.push('completed and aborted');
    const aborts = this.told.some(({ kind }) => kind === 'abort');
    if (!aborts && this.told.some(({ kind, outcome }) => kind === 'complete' && outcome === 'NoSuchUpload')) {
      wrong.push('a Complete was told that there is no upload, and nobody has aborted it');
    }
    for (const { kind, outcome, begun } of this.told) {
      // A Complete whose record could not be removed is answered all the same: it stays open to the eye until that is
      // done.
      if (kind === 'part' && outcome === 'ok' && end !== undefined && begun > end.ended && !this.recordStayed) {
        wrong.push('a part was acknowledged that began when the upload was over');
      }
      if (kind === 'part' && !['ok', 'NoSuchUpload', 'none'].includes(outcome) && faults.length === 0) {
        wrong.push(`a part was told ${outcome}`);
      }
    }
    if (end === undefined) return [...wrong, ...(faults.length > 0 ? [] : await this.#judgeOpen(late, target))];
    if (end.kind === 'complete' && (await late.text(this.bucket)) !== end.text) {
      wrong.push('the object is not what was listed');
    }
    const left = await this.names('p/');
    if (left.length > 0 && faults.length === 0) wrong.push(`left: ${left.join()}`);
    if ((await late.part(target, 'again')) !== 'NoSuchUpload') wrong.push('a part can be put, and the upload is over');
    return wrong;
  }

  /** What was acknowledged last of a number is what is listed. */
  async #judgeOpen(late: Process, target: UploadTarget): Promise<string[]> {
    const parts = this.told.filter(({ kind, outcome }) => kind === 'part' && outcome === 'ok');
    const last = Math.max(0, ...parts.map(({ begun }) => begun));
    const possible = parts.filter(({ ended }) => ended >= last).map(({ text }) => md5Of(text));
    const listed = await late.listed(target).catch(() => ['none']);
    return possible.length === 0 || possible.includes(listed[0] ?? '')
      ? []
      : ['a part that was acknowledged is not listed'];
  }
}
