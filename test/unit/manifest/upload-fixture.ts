import { createHash } from 'node:crypto';
import { type Fault, type PlannedCall, withFaults } from '../../../adapters/doubles/faults.ts';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import type { Bucket } from '../../../src/manifest/records/bucket.ts';
import { type BucketRegistry, createBucketRegistry } from '../../../src/manifest/buckets/buckets.ts';
import { createClock } from '../../../src/manifest/records/clock.ts';
import { type Objects, createObjects } from '../../../src/manifest/objects/objects.ts';
import type { Realm } from '../../../src/manifest/buckets/realm.ts';
import { type Settler, createSettler } from '../../../src/manifest/versions/settle.ts';
import { withoutSettling } from '../../support/manifest/unsettled.ts';
import type { CompleteRequest, CompletedUpload } from '../../../src/manifest/uploads/upload-complete.ts';
import type { UploadTarget } from '../../../src/manifest/uploads/upload-find.ts';
import type { ListedPart } from '../../../src/manifest/uploads/upload-plan.ts';
import type { UploadRecord } from '../../../src/manifest/records/upload-record.ts';
import { type Uploads, createUploads } from '../../../src/manifest/uploads/uploads.ts';
import { tieredStore } from '../../../src/manifest/heads/tiered-store.ts';
import type { StorageClasses } from '../../../src/manifest/records/storage-classes.ts';
import type { StoreCapabilities } from '../../../src/store/blob-store.ts';
import { readAll } from '../../../src/streams/bytes.ts';
import { withPrivateStaging } from '../../support/manifest/private-staging.ts';
import { testCall } from '../../support/test-call.ts';

export const OWNER = 'owner-canonical-id';
/** Least size of a part in these tests; S3's 5 MiB is a setting. */
export const MIN_PART = 4;

export type Plan = (call: PlannedCall) => Fault | undefined;

export interface FixtureOptions {
  readonly minPartSize?: number;
  readonly maxObjectSize?: number;
  /** False: multipart objects stay where they were assembled. */
  readonly settling?: boolean;
  /** False: private blobs that are not needed any more stay, as after a crash. */
  readonly discarding?: boolean;
  readonly capabilities?: Partial<StoreCapabilities>;
  /** Absent: storage classes are labels. */
  readonly classes?: StorageClasses;
}

/** A gateway's manifest over a store in memory whose faults can be changed at any time. */
export class UploadFixture {
  readonly memory: MemoryBlobStore;
  readonly uploads: Uploads;
  readonly objects: Objects;
  readonly buckets: BucketRegistry;
  readonly settler: Settler;
  readonly backgroundErrors: unknown[] = [];
  readonly calls: PlannedCall[] = [];
  bucket!: Bucket;
  plan: Plan = () => undefined;

  private constructor(options: FixtureOptions) {
    this.memory = new MemoryBlobStore({ ...(options.capabilities && { capabilities: options.capabilities }) });
    const faulty = withFaults(withPrivateStaging(this.memory), (call) => {
      this.calls.push(call);
      return this.plan(call);
    });
    const classes = options.classes === undefined ? {} : { classes: options.classes };
    const store = options.classes === undefined ? faulty : tieredStore(faulty, options.classes);
    const backend = { name: 'test', store, systemContainer: 'system', ownerId: OWNER, ...classes };
    const realm: Realm = { backends: [backend], backendOf: () => backend };
    this.settler = createSettler({
      concurrency: 2,
      maxQueue: 100,
      newCall: () => testCall(),
      onError: (error) => this.backgroundErrors.push(error),
    });
    const settler = {
      ...(options.settling === false ? withoutSettling(this.settler) : this.settler),
      ...(options.discarding === false && { discard: () => undefined }),
    };
    const clock = createClock();
    this.buckets = createBucketRegistry({ realm, cacheMs: 20, onHidden: () => undefined });
    this.objects = createObjects({ clock, settler });
    this.uploads = createUploads({
      clock,
      settler,
      objects: this.objects,
      minPartSize: options.minPartSize ?? MIN_PART,
      ...(options.maxObjectSize !== undefined && { maxObjectSize: options.maxObjectSize }),
    });
  }

  static async open(options: FixtureOptions = {}): Promise<UploadFixture> {
    const fixture = new UploadFixture(options);
    fixture.bucket = await fixture.addBucket('bucket');
    return fixture;
  }

  async addBucket(name: string): Promise<Bucket> {
    await this.buckets.create({ name, ownerId: OWNER }, testCall());
    return this.buckets.get(name, testCall());
  }

  idle(): Promise<void> {
    return this.settler.idle();
  }

  create(key: string, more: Partial<UploadRecord> = {}): Promise<UploadTarget> {
    const attributes = { headers: { contentType: 'text/plain' }, userMetadata: { colour: 'blue' } };
    return this.uploads.create({ bucket: this.bucket, key }, { ownerId: OWNER, attributes, ...more }, testCall());
  }

  async part(target: UploadTarget, number: number, text: string): Promise<ListedPart> {
    const upload = await this.uploads.find(target, testCall());
    const body = Buffer.from(text);
    const md5 = md5Of(body);
    const { etag } = await this.uploads.putPart(upload, { number, body, facts: { md5 } }, testCall());
    return { number, etag, checksums: {} };
  }

  /** An upload with these parts, numbered from 1. */
  async started(key: string, ...texts: string[]): Promise<{ target: UploadTarget; parts: ListedPart[] }> {
    const target = await this.create(key);
    const parts: ListedPart[] = [];
    for (const [index, text] of texts.entries()) parts.push(await this.part(target, index + 1, text));
    return { target, parts };
  }

  complete(
    target: UploadTarget,
    parts: readonly ListedPart[],
    more: Partial<CompleteRequest> = {},
    call = testCall(),
  ): Promise<CompletedUpload> {
    const request = {
      parts,
      expected: {},
      conditions: {},
      beforeAssembly: () => undefined,
      beforePublication: async () => undefined,
      ...more,
    };
    return this.uploads.complete(target, request, call);
  }

  put(key: string, text: string): Promise<unknown> {
    const attributes = { headers: {}, userMetadata: {} };
    return this.objects.put(
      { bucket: this.bucket, key },
      { body: Buffer.from(text), attributes, ownerId: OWNER, conditions: {} },
      testCall(),
    );
  }

  async text(key: string): Promise<string | undefined> {
    try {
      const { body } = await this.objects.open({ bucket: this.bucket, key: key }, {}, testCall());
      return (await readAll(body)).toString();
    } catch (error) {
      if ((error as { code?: string }).code === 'NoSuchKey') return undefined;
      throw error;
    }
  }

  /** Names in the system container that start with one of these. */
  async names(...prefixes: string[]): Promise<string[]> {
    const pages = await Promise.all(
      prefixes.map((prefix) => this.memory.list('system', { prefix, limit: 5000 }, testCall())),
    );
    return pages.flatMap((page) => page.entries.map((entry) => entry.name));
  }

  /** Open uploads as clients see them. */
  async openUploads(): Promise<string[]> {
    const { entries } = await this.uploads.list(this.bucket, { prefix: '', limit: 1000 }, testCall());
    return entries.map((entry) => (entry.kind === 'upload' ? entry.uploadId : entry.prefix));
  }
}

export function md5Of(bytes: Uint8Array | string): string {
  return createHash('md5').update(bytes).digest('hex');
}

/** ETag of an object made of these parts, computed apart from the product. */
export function multipartEtag(...texts: string[]): string {
  const digests = texts.map((text) => createHash('md5').update(text).digest());
  return `${md5Of(Buffer.concat(digests))}-${texts.length}`;
}

export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'ok';
  } catch (error) {
    const { code, kind } = error as { code?: string; kind?: string };
    return code ?? kind ?? String(error);
  }
}
