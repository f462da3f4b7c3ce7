import { compareUtf8 } from '../../../src/store/name-order.ts';
import { refuseKept } from './kept.ts';
import { Refusal, forbidden, noSuchBucket, noSuchObject } from './refusal.ts';
import type { Rope } from './rope.ts';

/** Fields that clients set, as the JSON API names them. */
export interface ObjectFields {
  readonly contentType?: string;
  readonly contentEncoding?: string;
  readonly contentLanguage?: string;
  readonly contentDisposition?: string;
  readonly cacheControl?: string;
  readonly storageClass?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly temporaryHold?: boolean;
  readonly eventBasedHold?: boolean;
}

export interface StoredObject {
  readonly bucket: string;
  readonly name: string;
  readonly bytes: Rope;
  readonly fields: ObjectFields;
  /** Decimal; every write of data gives a new, higher one. */
  readonly generation: string;
  /** 1 for new data, one more for each change of metadata. */
  readonly metageneration: number;
  readonly timeCreated: number;
  readonly updated: number;
  /** Of composed objects only: they have no MD5 (https://cloud.google.com/storage/docs/composite-objects). */
  readonly componentCount?: number;
  /** SHA-256, base64, of the customer's key; nothing is encrypted. */
  readonly keyDigest?: string;
  /** Of Cloud KMS. */
  readonly kmsKeyName?: string;
}

export interface DoubleOptions {
  /**
   * Mutations of one object name per second; more answer 429. Absent: any number.
   * https://cloud.google.com/storage/quotas#objects: one a second.
   */
  readonly nameWritesPerSecond?: number;
  /**
   * Buckets made and deleted per second; more answer 429, without a time to wait, as recorded. Absent: any number.
   * https://cloud.google.com/storage/quotas#buckets: one every two seconds.
   */
  readonly bucketChangesPerSecond?: number;
  /** What a 404 says of a bucket that is not there: the service used other words in other years. */
  readonly missingBucketWords?: string;
  /** Bytes that one call of rewrite moves; more take further calls with its token. Absent: all at once. */
  readonly rewriteBytesPerCall?: number;
  /** Rows of a listing at most, whatever is asked for. Default 1,000, as documented. */
  readonly maxListRows?: number;
  /** The same for the list of buckets. */
  readonly maxBucketRows?: number;
  /** Buckets of another project, by name, and whether it lets anybody in. */
  readonly foreignBuckets?: Readonly<Record<string, 'closed' | 'open'>>;
}

/** Numbers of the project whose buckets are made and listed here, and of the one that has all others. */
export const OWN_PROJECT = '100000000001';
const FOREIGN_PROJECT = '200000000002';

interface BucketFields {
  /** Absent: the own one. */
  readonly projectNumber?: string;
  readonly location: string;
  readonly storageClass: string;
  /**
   * Seconds; buckets are made with a week unless told otherwise (https://cloud.google.com/storage/docs/soft-delete).
   */
  readonly softDeleteSeconds: string;
  readonly hierarchicalNamespace: boolean;
  /** Objects begin as STANDARD, whatever their writers say (https://cloud.google.com/storage/docs/autoclass). */
  readonly hasAutoclass: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** Kept and told, and not followed. */
  readonly lifecycle?: Readonly<Record<string, unknown>>;
  readonly retentionPolicy?: Readonly<Record<string, unknown>>;
}

export class StoredBucket {
  readonly name: string;
  readonly timeCreated: number;
  fields: BucketFields;
  metageneration = 1;
  readonly objects = new Map<string, StoredObject>();
  /**
   * Names in the order of their UTF-8 bytes (https://cloud.google.com/storage/docs/json_api/v1/objects/list:
   * lexicographic order).
   */
  readonly names: string[] = [];
  readonly #mutated = new Map<string, number>();

  constructor(name: string, fields: BucketFields, now: number) {
    this.name = name;
    this.fields = fields;
    this.timeCreated = now;
  }

  set(object: StoredObject): void {
    if (!this.objects.has(object.name)) this.names.splice(this.position(object.name), 0, object.name);
    this.objects.set(object.name, object);
  }

  delete(name: string): void {
    if (this.objects.delete(name)) this.names.splice(this.position(name), 1);
  }

  /** Index of the first name that is not below `name`. */
  position(name: string): number {
    let [low, high] = [0, this.names.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareUtf8(this.names[middle] ?? '', name) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** One mutation of a name. @throws Refusal 429 when it comes too soon after the one before */
  countMutation(name: string, perSecond: number | undefined): void {
    if (perSecond === undefined) return;
    const now = performance.now();
    if (now - (this.#mutated.get(name) ?? -Infinity) < 1000 / perSecond) throw tooManyMutations(this.name, name);
    this.#mutated.set(name, now);
  }
}

/** https://cloud.google.com/storage/docs/gcs429 */
function tooManyMutations(bucket: string, name: string): Refusal {
  const message = `The object ${bucket}/${name} exceeded the rate limit for object mutation operations (create, update, and delete). Please reduce your request rate.`;
  return new Refusal(429, 'rateLimitExceeded', message, { xmlCode: 'SlowDown' });
}

function keptClass({ fields: bucket }: StoredBucket, { storageClass }: ObjectFields): string {
  return bucket.hasAutoclass ? 'STANDARD' : (storageClass ?? bucket.storageClass);
}

interface NewObject {
  readonly name: string;
  readonly bytes: Rope;
  readonly fields: ObjectFields;
  readonly componentCount?: number;
  readonly keyDigest?: string;
  readonly kmsKeyName?: string;
}

/** All buckets, and the one place where objects change. */
export class DoubleState {
  readonly buckets = new Map<string, StoredBucket>();
  readonly options: DoubleOptions;
  /** Buckets of another project that let nobody in. */
  readonly #closed = new Set<string>();
  #lastGeneration = 0;
  #lastBucketChange = -Infinity;

  constructor(options: DoubleOptions) {
    this.options = options;
    for (const [name, door] of Object.entries(options.foreignBuckets ?? {})) this.takeOver(name, door);
  }

  /** Another project has a bucket of this name from now on. */
  takeOver(name: string, door: 'closed' | 'open'): void {
    const fields: BucketFields = {
      projectNumber: FOREIGN_PROJECT,
      location: 'US',
      storageClass: 'STANDARD',
      softDeleteSeconds: '0',
      hierarchicalNamespace: false,
      hasAutoclass: false,
      labels: {},
    };
    this.buckets.set(name, new StoredBucket(name, fields, Date.now()));
    if (door === 'closed') this.#closed.add(name);
  }

  /** A bucket is made or deleted. @throws Refusal 429 when that comes too soon after the one before */
  countBucketChange(): void {
    const { bucketChangesPerSecond } = this.options;
    if (bucketChangesPerSecond === undefined) return;
    const now = performance.now();
    if (now - this.#lastBucketChange < 1000 / bucketChangesPerSecond) {
      const message = 'The project exceeded the rate limit for creating and deleting buckets.';
      throw new Refusal(429, 'rateLimitExceeded', message, { xmlCode: 'SlowDown' });
    }
    this.#lastBucketChange = now;
  }

  /** @throws Refusal 404, 403 */
  bucket(name: string): StoredBucket {
    if (this.#closed.has(name)) throw forbidden(name);
    const bucket = this.buckets.get(name);
    if (bucket === undefined) throw noSuchBucket(this.options.missingBucketWords);
    return bucket;
  }

  /** @param generation only this one, if given. @throws Refusal 404 */
  object(bucket: string, name: string, generation?: string): StoredObject {
    const object = this.bucket(bucket).objects.get(name);
    if (object === undefined || (generation !== undefined && object.generation !== generation)) {
      throw noSuchObject(bucket, name);
    }
    return object;
  }

  /** New data under a name; conditions were judged in the same turn of the event loop. */
  put(bucket: StoredBucket, { name, bytes, fields, componentCount, keyDigest, kmsKeyName }: NewObject): StoredObject {
    const now = Date.now();
    refuseKept(bucket, bucket.objects.get(name), now);
    bucket.countMutation(name, this.options.nameWritesPerSecond);
    const object: StoredObject = {
      bucket: bucket.name,
      name,
      bytes,
      fields: { ...fields, storageClass: keptClass(bucket, fields) },
      generation: this.#nextGeneration(),
      metageneration: 1,
      timeCreated: now,
      updated: now,
      ...(componentCount !== undefined && { componentCount }),
      ...(keyDigest !== undefined && { keyDigest }),
      ...(kmsKeyName !== undefined && { kmsKeyName }),
    };
    bucket.set(object);
    return object;
  }

  /** Other fields for an object whose data stays. */
  amend(object: StoredObject, fields: ObjectFields): StoredObject {
    const bucket = this.bucket(object.bucket);
    bucket.countMutation(object.name, this.options.nameWritesPerSecond);
    const amended = { ...object, fields, metageneration: object.metageneration + 1, updated: Date.now() };
    bucket.set(amended);
    return amended;
  }

  remove(object: StoredObject): void {
    const bucket = this.bucket(object.bucket);
    refuseKept(bucket, object, Date.now());
    bucket.countMutation(object.name, this.options.nameWritesPerSecond);
    bucket.delete(object.name);
  }

  /** Microseconds, as the service's look, and always higher than the one before. */
  #nextGeneration(): string {
    this.#lastGeneration = Math.max(this.#lastGeneration + 1, Date.now() * 1000);
    return String(this.#lastGeneration);
  }
}
