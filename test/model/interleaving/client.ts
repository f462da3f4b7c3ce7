import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { S3Error, isS3Error } from '../../../src/errors/s3-error.ts';
import type { Bucket, Versioning } from '../../../src/manifest/records/bucket.ts';
import { type Clock, createClock } from '../../../src/manifest/records/clock.ts';
import type { AmendedFields } from '../../../src/manifest/versions/object-amendment.ts';
import type { ObjectTarget, PutRequest } from '../../../src/manifest/heads/object-requests.ts';
import type { ObjectView } from '../../../src/manifest/records/object-view.ts';
import { type Objects, createObjects } from '../../../src/manifest/objects/objects.ts';
import { type Settler, createSettler, settle } from '../../../src/manifest/versions/settle.ts';
import {
  type ListedPrefix,
  type ListingRequest,
  type VersionsEntry,
  createListing,
} from '../../../src/manifest/listing/listing.ts';
import { type Uploads, createUploads } from '../../../src/manifest/uploads/uploads.ts';
import type { UploadTarget } from '../../../src/manifest/uploads/upload-find.ts';
import type { ListedPart } from '../../../src/manifest/uploads/upload-plan.ts';
import type { Call } from '../../../src/observe/call.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { isStoreError } from '../../../src/store/store-error.ts';
import { testCall } from '../../support/test-call.ts';
import {
  type Answer,
  type Asked,
  type Operation,
  type OperationKind,
  type ShownVersion,
  retainUntil,
} from './operation.ts';
import { sweepKeys } from './sweeper.ts';
import { BUCKET_UID, CONTAINER, SYSTEM, type World, textIn } from './world.ts';

const OWNER = 'owner';
const LISTING = createListing();

interface ClientOptions {
  readonly name: string;
  readonly world: World;
  /** Milliseconds that its clock is ahead. */
  readonly skew: number;
  /** The store as it sees it. */
  readonly store: BlobStore;
  /** Calls of work that nobody waits for; undefined: such work is not done, as after a crash. */
  readonly backgroundCall?: (name: string) => Call;
  /** Uploads of all clients: any of them may be asked to complete one again. */
  readonly uploads: Map<string, StartedUpload>;
  /** Set: versioning was enabled for the first time a moment ago. */
  readonly versionedSince?: number;
}

export interface StartedUpload {
  readonly target: UploadTarget;
  readonly parts: ListedPart[];
}

/** One gateway process: a manifest with its own clock and settler over the common store. */
export class Client {
  readonly name: string;
  readonly #options: ClientOptions;
  readonly #clock: Clock;
  readonly #objects: Objects;
  readonly #uploads: Uploads;

  constructor(options: ClientOptions) {
    this.name = options.name;
    this.#options = options;
    const settler = settlerOf(options);
    this.#clock = createClock(() => this.now);
    this.#objects = createObjects({ clock: this.#clock, settler });
    this.#uploads = createUploads({ clock: this.#clock, settler, objects: this.#objects, minPartSize: 1 });
  }

  /** What its clock says. */
  get now(): number {
    return this.#options.world.now + this.#options.skew;
  }

  /** What happened long before: an upload has its parts, a source of a copy lies there. Past the gate. */
  async prepare({ kind, mode, key, repeats }: Operation, name: string): Promise<void> {
    const { world } = this.#options;
    const bucket = this.#bucket(mode, world.store);
    if (kind === 'copy') await this.#put(bucket, sourceOf(name), { ...requestOf(name), conditions: {} });
    if (kind !== 'complete' || repeats !== undefined) return;
    const attributes = { headers: {}, userMetadata: {} };
    const target = await this.#uploads.create({ bucket, key }, { ownerId: OWNER, attributes }, testCall());
    const body = Buffer.from(name);
    const upload = await this.#uploads.find(target, testCall());
    const { etag } = await this.#uploads.putPart(upload, { number: 1, body, facts: { md5: md5Of(name) } }, testCall());
    this.#options.uploads.set(name, { target, parts: [{ number: 1, etag, checksums: {} }] });
  }

  /** @throws what no client should ever be told */
  async perform(operation: Operation, asked: Asked, call: Call): Promise<Answer> {
    try {
      return await WORK[operation.kind](this, { operation, asked, call });
    } catch (error) {
      if (isS3Error(error, 'ServiceUnavailable', 'SlowDown')) return { kind: 'unknown', code: error.code };
      if (isS3Error(error)) return { kind: 'refused', code: error.code };
      if (
        isStoreError(error) &&
        (error.lost || error.kind === 'unavailable' || error.kind === 'throttled' || call.signal.aborted)
      ) {
        return { kind: 'unknown', code: `${error.kind} ${error.detail.code ?? ''}` };
      }
      throw error;
    }
  }

  async put({ operation, asked, call }: Job): Promise<Answer> {
    const bytes = Buffer.from(asked.name);
    const { streamed } = operation;
    const body = streamed === true ? { size: bytes.length, stream: Readable.from([bytes]) } : bytes;
    const facts = streamed === true ? { facts: Promise.resolve({ md5: md5Of(asked.name) }) } : {};
    const request = { ...requestOf(asked.name), body, conditions: conditionsOf(operation, asked), ...facts };
    return this.#put(this.#bucket(operation.mode), operation.key, request, call);
  }

  async complete({ operation, asked, call }: Job): Promise<Answer> {
    const { target, parts } = this.#options.uploads.get(asked.name) ?? fail(`${asked.name} was not prepared`);
    const conditions = conditionsOf(operation, asked);
    const request = {
      parts,
      expected: {},
      conditions,
      beforeAssembly: () => undefined,
      beforePublication: async () => undefined,
    };
    const { versionId } = versioned(
      await this.#uploads.complete({ ...target, bucket: this.#bucket(operation.mode) }, request, call),
    );
    return { kind: 'done', ...(versionId !== undefined && { versionId }) };
  }

  async copy({ operation, asked, call }: Job): Promise<Answer> {
    const bucket = this.#bucket(operation.mode);
    const view = await this.#objects.find({ bucket, key: sourceOf(asked.name) }, call);
    const { body: _body, ...request } = requestOf(asked.name);
    const source = { source: { bucket, view }, sameAttributes: true, conditions: conditionsOf(operation, asked) };
    const { versionId } = versioned(
      await this.#objects.copy({ bucket, key: operation.key }, { ...request, ...source }, call),
    );
    return { kind: 'done', ...(versionId !== undefined && { versionId }) };
  }

  async remove({ operation, asked, call }: Job): Promise<Answer> {
    const guard = ({ lock }: ObjectView): void => {
      if (lock !== undefined) throw new S3Error('AccessDenied');
    };
    const request = { conditions: conditionsOf(operation, asked), ownerId: OWNER, guard };
    const { versionId } = await this.#objects.remove(this.#target(operation, asked), request, call);
    return { kind: 'done', ...(versionId !== undefined && { versionId }) };
  }

  async amend({ operation, asked, call }: Job): Promise<Answer> {
    const said = SAYINGS[operation.kind]?.(asked.name) ?? fail(`nothing to say by ${operation.kind}`);
    await this.#objects.amend(this.#target(operation, asked), () => said, call);
    return { kind: 'done' };
  }

  async get({ operation, asked, call }: Job): Promise<Answer> {
    const { view, body } = await this.#objects.open(this.#target(operation, asked), {}, call);
    return { kind: 'shown', version: { ...shown(view), body: await textIn(body.stream()) } };
  }

  async find({ operation, asked, call }: Job): Promise<Answer> {
    return { kind: 'shown', version: shown(await this.#objects.find(this.#target(operation, asked), call)) };
  }

  async list({ operation, call }: Job): Promise<Answer> {
    const { entries } = await LISTING.objects(this.#bucket(operation.mode), listingOf(operation), call);
    const own = entries.flatMap((entry) => (entry.kind === 'object' && entry.key === operation.key ? [entry] : []));
    return { kind: 'listed', versions: own.map(({ etag, mtime }) => ({ marker: false, etag, mtime })) };
  }

  async listVersions({ operation, call }: Job): Promise<Answer> {
    const { entries } = await LISTING.versions(this.#bucket(operation.mode), listingOf(operation), call);
    const own = entries.flatMap((entry) => (entry.kind !== 'prefix' && entry.key === operation.key ? [entry] : []));
    return { kind: 'listed', versions: own.map((entry) => listedVersion(entry)) };
  }

  async settle({ operation, call }: Job): Promise<Answer> {
    await settle({ bucket: this.#bucket(operation.mode), key: operation.key }, call);
    return { kind: 'done' };
  }

  async sweep({ operation, call }: Job): Promise<Answer> {
    await sweepKeys(this.#bucket(operation.mode), this.now, call);
    return { kind: 'done' };
  }

  async #put(bucket: Bucket, key: string, request: PutRequest, call = testCall()): Promise<Answer> {
    const { versionId } = versioned(await this.#objects.put({ bucket, key }, request, call));
    return { kind: 'done', ...(versionId !== undefined && { versionId }) };
  }

  #target({ mode, key }: Operation, { versionId }: Asked): ObjectTarget {
    return { bucket: this.#bucket(mode), key, versionId };
  }

  #bucket(versioning: Versioning, store = this.#options.store): Bucket {
    const { versionedSince } = this.#options;
    const home = { backend: 'test', store, container: CONTAINER, system: SYSTEM };
    const since = versionedSince !== undefined && versioning !== 'never' ? { versionedSince } : {};
    return { name: 'bucket', uid: BUCKET_UID, ownerId: OWNER, createdAt: 0, versioning, settings: {}, home, ...since };
  }
}

interface Job {
  readonly operation: Operation;
  readonly asked: Asked;
  readonly call: Call;
}

/** What each kind of amendment says, so that it can be told whose it is. */
const SAYINGS: Readonly<Partial<Record<OperationKind, (name: string) => AmendedFields>>> = {
  tag: (name) => ({ tags: [{ key: 'by', value: name }] }),
  acl: (name) => ({ acl: aclOf(name) }),
  hold: (name) => ({ lock: { retention: { mode: 'GOVERNANCE', until: retainUntil(name) } } }),
};

const WORK: Readonly<Record<OperationKind, (client: Client, job: Job) => Promise<Answer>>> = {
  put: (client, job) => client.put(job),
  complete: (client, job) => client.complete(job),
  copy: (client, job) => client.copy(job),
  delete: (client, job) => client.remove(job),
  deleteVersion: (client, job) => client.remove(job),
  tag: (client, job) => client.amend(job),
  acl: (client, job) => client.amend(job),
  hold: (client, job) => client.amend(job),
  get: (client, job) => client.get(job),
  getVersion: (client, job) => client.get(job),
  find: (client, job) => client.find(job),
  list: (client, job) => client.list(job),
  listVersions: (client, job) => client.listVersions(job),
  settle: (client, job) => client.settle(job),
  sweep: (client, job) => client.sweep(job),
};

function settlerOf({ backgroundCall }: ClientOptions): Settler {
  if (backgroundCall === undefined) {
    const nothing = (): void => undefined;
    const done = async (): Promise<void> => undefined;
    return {
      schedule: nothing,
      discard: nothing,
      later: nothing,
      idle: done,
      backlog: () => ({ queued: 0, running: 0, dropped: 0, failed: 0 }),
      close: done,
    };
  }
  return createSettler({ concurrency: 2, maxQueue: 100, newCall: backgroundCall, onError: () => undefined });
}

function requestOf(name: string): Omit<PutRequest, 'conditions'> {
  return { body: Buffer.from(name), attributes: { headers: {}, userMetadata: {} }, ownerId: OWNER };
}

function conditionsOf({ condition }: Operation, { etag }: Asked): { ifMatch?: string; ifNoneMatch?: string } {
  if (condition === 'absent') return { ifNoneMatch: '*' };
  return condition === 'current' ? { ifMatch: etag ?? 'none' } : {};
}

function sourceOf(name: string): string {
  return `source-${name}`;
}

function aclOf(id: string): NonNullable<ObjectView['acl']> {
  return [
    { grantee: { kind: 'owner' }, permission: 'FULL_CONTROL' },
    { grantee: { kind: 'account', id }, permission: 'READ' },
  ];
}

function listingOf({ key }: Operation): ListingRequest {
  return { prefix: key, delimiter: '', after: '', limit: 100 };
}

function listedVersion(entry: Exclude<VersionsEntry, ListedPrefix>): ShownVersion {
  const { mtime, versionId, isLatest } = entry;
  return {
    id: versionId,
    latest: isLatest,
    mtime,
    ...('etag' in entry ? { marker: false, etag: entry.etag } : { marker: true }),
  };
}

function shown(view: ObjectView): ShownVersion {
  const said = { tags: view.tags?.map(({ key, value }) => `${key}=${value}`), acl: view.acl, lock: view.lock };
  return { id: view.versionId, marker: false, etag: view.etag, mtime: view.mtime, said: JSON.stringify(said) };
}

function versioned(answer: object): { versionId?: string } {
  return 'versionId' in answer && typeof answer.versionId === 'string' ? { versionId: answer.versionId } : {};
}

function md5Of(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

function fail(message: string): never {
  throw new Error(message);
}
