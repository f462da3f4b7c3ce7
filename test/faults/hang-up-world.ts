import { Readable } from 'node:stream';
import { MemoryBlobStore } from '../../adapters/memory/memory-blob-store.ts';
import { isS3Error } from '../../src/errors/s3-error.ts';
import type { Bucket, Versioning } from '../../src/manifest/records/bucket.ts';
import { createListing } from '../../src/manifest/listing/listing.ts';
import { type Objects, createObjects } from '../../src/manifest/objects/objects.ts';
import type { PutRequest } from '../../src/manifest/heads/object-requests.ts';
import { type Settler, createSettler } from '../../src/manifest/versions/settle.ts';
import { withoutSettling } from '../support/manifest/unsettled.ts';
import { createClock } from '../../src/manifest/records/clock.ts';
import { type Uploads, createUploads } from '../../src/manifest/uploads/uploads.ts';
import type { Call } from '../../src/observe/call.ts';
import { CustomerKey } from '../../src/store/customer-key.ts';
import type { BlobStore } from '../../src/store/blob-store.ts';
import { StoreError, isStoreError } from '../../src/store/store-error.ts';
import { type PortCall, type PortMethod, wrapStore } from '../../src/store/wrap-store.ts';
import { readAll } from '../../src/streams/bytes.ts';
import { testCall } from '../support/test-call.ts';

export const OWNER = 'owner';
export const CUSTOMER_KEY = new CustomerKey(Buffer.alloc(32, 'a key of a customer, '));

/** What becomes of one call, besides that its client may leave. */
const FAULTS = [
  'none',
  'lost answer',
  'lost request',
  'lost answer, refused read-back',
  'late, refused read-back',
  'cut answer',
  'refused for now',
] as const;
type CallFault = (typeof FAULTS)[number];

/** When the client leaves, seen from one call. */
export const MOMENTS = ['never', 'before', 'during', 'after'] as const;
type Moment = (typeof MOMENTS)[number];

/** One thing that goes wrong: at the n-th call of an operation, counted from 1. */
export interface Mishap {
  readonly at: number;
  readonly moment: Moment;
  readonly fault: CallFault;
}

const READS: ReadonlySet<PortMethod> = new Set(['head', 'read', 'list']);

/** What can become of a call: of one that changes nothing there is less to lose. */
export function faultsOf(method: PortMethod): readonly CallFault[] {
  return READS.has(method) ? ['none', 'refused for now'] : FAULTS;
}

/** The store as one operation sees it, once it is armed. */
class Line {
  readonly #late: (() => Promise<unknown>)[] = [];
  #mishap: Mishap | undefined;
  #client = new AbortController();
  #isArmed = false;
  #readsFail = false;
  calls: PortMethod[] = [];

  arm(mishap: Mishap | undefined): Call {
    this.#isArmed = true;
    this.#mishap = mishap;
    return testCall(this.#client.signal);
  }

  /** The operation is over; what was under way arrives. */
  async disarm(): Promise<void> {
    this.#isArmed = false;
    for (const arrive of this.#late) await arrive().catch(() => undefined);
  }

  async around<T>({ method, call }: PortCall, run: () => Promise<T>): Promise<T> {
    if (!this.#isArmed) return run();
    if (this.#readsFail && READS.has(method)) throw new StoreError('unavailable', { call: method });
    this.calls.push(method);
    const { at, moment, fault } = this.#mishap ?? {};
    if (at !== this.calls.length || moment === undefined || fault === undefined) return run();
    if (moment === 'before') this.#leave();
    const result = this.#suffer(method, fault, run);
    if (moment === 'during') {
      this.#leave();
      await result.catch(() => undefined);
      if (call.signal.aborted) {
        throw new StoreError('aborted', { call: method, ...(!READS.has(method) && { lost: true }) });
      }
    }
    try {
      return await result;
    } finally {
      if (moment === 'after') this.#leave();
    }
  }

  async #suffer<T>(method: PortMethod, fault: CallFault, run: () => Promise<T>): Promise<T> {
    if (fault === 'none') return run();
    if (READS.has(method) || fault === 'refused for now') throw new StoreError('unavailable', { call: method });
    this.#readsFail = fault.endsWith('refused read-back');
    if (fault === 'late, refused read-back') this.#late.push(run);
    else if (fault !== 'lost request') await run().catch(() => undefined);
    throw new StoreError(fault === 'cut answer' ? 'unexpected' : 'unavailable', { call: method, lost: true });
  }

  #leave(): void {
    this.#client.abort(new Error('the client has left'));
  }
}

/** What a client can see of the key. */
export type Picture = readonly string[];

/** One gateway over a store in memory, one key, one client that may leave. */
export class HangUpWorld {
  readonly objects: Objects;
  readonly uploads: Uploads;
  readonly line = new Line();
  readonly #memory = new MemoryBlobStore();
  readonly #store: BlobStore;
  readonly #settler: Settler;
  versioning: Versioning = 'never';
  #number = 0;

  private constructor(settling: boolean) {
    this.#store = wrapStore(this.#memory, (portCall, run) => this.line.around(portCall, run));
    const settler = createSettler({
      concurrency: 2,
      maxQueue: 100,
      newCall: () => testCall(),
      onError: () => undefined,
    });
    this.#settler = settling ? settler : withoutSettling(settler);
    const clock = createClock();
    this.objects = createObjects({ clock, settler: this.#settler });
    this.uploads = createUploads({ clock, settler: this.#settler, objects: this.objects, minPartSize: 1 });
  }

  static async open(settling: boolean): Promise<HangUpWorld> {
    const world = new HangUpWorld(settling);
    await world.#memory.createContainer('bucket', {}, testCall());
    await world.#memory.createContainer('system', {}, testCall());
    return world;
  }

  get bucket(): Bucket {
    const home = { backend: 'test', store: this.#store, container: 'bucket', system: 'system' };
    return {
      name: 'bucket',
      uid: 'uid',
      ownerId: OWNER,
      createdAt: 0,
      versioning: this.versioning,
      settings: {},
      home,
    };
  }

  /** Tells one body from another. */
  nextNumber(): number {
    this.#number += 1;
    return this.#number;
  }

  idle(): Promise<void> {
    return this.#settler.idle();
  }

  request(text: string, more: Partial<PutRequest> = {}): PutRequest {
    return {
      body: Buffer.from(text),
      attributes: { headers: {}, userMetadata: {} },
      ownerId: OWNER,
      conditions: {},
      ...more,
    };
  }

  streamed(text: string, more: Partial<PutRequest> = {}): PutRequest {
    const bytes = Buffer.from(text);
    return this.request(text, {
      body: { size: bytes.length, stream: Readable.from([bytes]) },
      facts: Promise.resolve({}),
      ...more,
    });
  }

  /**
   * Everything that GET, GET by id and LIST versions say; what says that it is there and cannot be read shows as that.
   */
  async picture(): Promise<Picture> {
    const lines: string[] = [];
    for (const key of ['k', 'l']) {
      lines.push(`${key}: ${await this.#text(key)}`);
      const { entries } = await createListing().versions(
        this.bucket,
        { prefix: key, delimiter: '', after: '', limit: 100 },
        testCall(),
      );
      for (const entry of entries) {
        if (entry.kind === 'prefix') continue;
        const id = entry.versionId === 'null' ? 'null' : 'an id';
        lines.push(
          `${key} ${id}${entry.isLatest ? ', latest' : ''}: ${'etag' in entry ? await this.#text(key, entry.versionId) : 'marker'}`,
        );
      }
    }
    return lines;
  }

  async #text(key: string, versionId?: string): Promise<string> {
    try {
      const target = { bucket: this.bucket, key, versionId };
      const view = await this.objects.find(target, testCall());
      const body =
        view.encryption === undefined
          ? (await this.objects.open(target, {}, testCall())).body
          : await this.objects.openView(this.bucket, view, { key: CUSTOMER_KEY }, testCall());
      const said = [view.tags?.map(({ value }) => value).join(), view.acl?.length, view.lock?.retention?.mode].filter(
        (fact) => fact !== undefined,
      );
      return `${(await readAll(body)).toString()} ${said.join(' ')}`;
    } catch (error) {
      if (isS3Error(error)) return error.code;
      if (isStoreError(error)) return `UNREADABLE ${error.message}`;
      throw error;
    }
  }
}
