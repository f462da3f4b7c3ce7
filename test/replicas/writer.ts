import { createHash, randomBytes } from 'node:crypto';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  ListObjectsV2Command,
  NotFound,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';

const PART_BYTES = 5 * 1024 * 1024;
const KEYS = 12;

/** What a writer knows of one key of its own: the digest of what it stored last, or nothing. */
type Known = string | undefined;

interface Step {
  readonly name: string;
  /** How often it is chosen, against the others. */
  readonly weight: number;
  readonly run: (writer: Writer, key: string) => Promise<void>;
}

const STEPS: readonly Step[] = [
  { name: 'put small', weight: 6, run: (writer, key) => writer.put(key, 1 + Math.floor(Math.random() * 4096)) },
  { name: 'put large', weight: 2, run: (writer, key) => writer.put(key, 2 * 1024 * 1024) },
  { name: 'multipart', weight: 1, run: (writer, key) => writer.multipart(key) },
  { name: 'get', weight: 6, run: (writer, key) => writer.check(key) },
  { name: 'copy', weight: 2, run: (writer, key) => writer.copy(key) },
  { name: 'delete', weight: 2, run: (writer, key) => writer.remove(key) },
  { name: 'list', weight: 2, run: (writer) => writer.list() },
];

/**
 * Uses keys that nobody else does, so that it knows what each must hold. Every answer is checked; every failure that
 * the SDK's retries do not cover is one too many.
 */
export class Writer {
  readonly counts: Record<string, number> = {};
  readonly failures: string[] = [];
  /** Versions of each key that were acknowledged, for buckets that keep them. */
  readonly written = new Map<string, Set<string>>();
  readonly #s3: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #known = new Map<string, Known>();

  constructor(s3: S3Client, bucket: string, prefix: string) {
    this.#s3 = s3;
    this.#bucket = bucket;
    this.#prefix = prefix;
  }

  async run(until: number): Promise<void> {
    while (Date.now() < until) {
      const step = choose();
      const key = `${this.#prefix}/key-${Math.floor(Math.random() * KEYS)}`;
      try {
        await step.run(this, key);
        this.counts[step.name] = (this.counts[step.name] ?? 0) + 1;
      } catch (error) {
        this.failures.push(`${step.name} ${key}: ${describe(error)}`);
        // What the key holds is not known any more.
        this.#known.delete(key);
      }
    }
  }

  /** Everything that was acknowledged, once more: the bytes, and in buckets that keep versions each of them. */
  async verify(versioned: boolean): Promise<void> {
    try {
      for (const key of this.#known.keys()) await this.check(key);
      await this.list();
      if (versioned) await this.#checkVersions();
    } catch (error) {
      this.failures.push(`in the end: ${describe(error)}`);
    }
  }

  async put(key: string, size: number): Promise<void> {
    const body = randomBytes(size);
    const { VersionId } = await this.#s3.send(new PutObjectCommand({ Bucket: this.#bucket, Key: key, Body: body }));
    this.#acknowledged(key, digest(body), VersionId);
  }

  async multipart(key: string): Promise<void> {
    const body = randomBytes(PART_BYTES * 2 + 17);
    const upload = new Upload({
      client: this.#s3,
      params: { Bucket: this.#bucket, Key: key, Body: body },
      partSize: PART_BYTES,
      queueSize: 2,
    });
    const { VersionId } = await upload.done();
    this.#acknowledged(key, digest(body), VersionId);
  }

  async copy(key: string): Promise<void> {
    const source = [...this.#known].find(([name, known]) => known !== undefined && name !== key);
    if (source === undefined) return;
    const { VersionId } = await this.#s3.send(
      new CopyObjectCommand({ Bucket: this.#bucket, Key: key, CopySource: `${this.#bucket}/${source[0]}` }),
    );
    this.#acknowledged(key, source[1], VersionId);
  }

  async remove(key: string): Promise<void> {
    await this.#s3.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: key }));
    this.#known.set(key, undefined);
  }

  async check(key: string): Promise<void> {
    if (!this.#known.has(key)) return;
    const expected = this.#known.get(key);
    if (expected === undefined) {
      const gone = await this.#s3.send(new HeadObjectCommand({ Bucket: this.#bucket, Key: key })).then(
        () => false,
        (error: unknown) => {
          if (error instanceof NotFound) return true;
          throw error;
        },
      );
      if (!gone) throw new Error('it was deleted and is there');
      return;
    }
    const { Body } = await this.#s3.send(new GetObjectCommand({ Bucket: this.#bucket, Key: key }));
    if (digest((await Body?.transformToByteArray()) ?? new Uint8Array()) !== expected) {
      throw new Error('other bytes than were stored');
    }
  }

  async list(): Promise<void> {
    const { Contents = [] } = await this.#s3.send(
      new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: `${this.#prefix}/` }),
    );
    const listed = new Set(Contents.map(({ Key }) => Key));
    for (const [key, known] of this.#known) {
      if (listed.has(key) !== (known !== undefined)) {
        throw new Error(`${key} is ${listed.has(key) ? '' : 'not '}listed`);
      }
    }
  }

  async #checkVersions(): Promise<void> {
    for (const [key, ids] of this.written) {
      const kept = new Set<string | undefined>();
      let marker: { KeyMarker?: string; VersionIdMarker?: string } = {};
      for (;;) {
        const page = await this.#s3.send(
          new ListObjectVersionsCommand({ Bucket: this.#bucket, Prefix: key, ...marker }),
        );
        for (const version of page.Versions ?? []) if (version.Key === key) kept.add(version.VersionId);
        if (page.IsTruncated !== true || page.NextKeyMarker === undefined) break;
        marker = {
          KeyMarker: page.NextKeyMarker,
          ...(page.NextVersionIdMarker !== undefined && { VersionIdMarker: page.NextVersionIdMarker }),
        };
      }
      const lost = [...ids].filter((id) => !kept.has(id));
      if (lost.length > 0) throw new Error(`${lost.length} versions of ${key} are lost: ${lost.join(' ')}`);
    }
  }

  #acknowledged(key: string, stored: Known, version: string | undefined): void {
    this.#known.set(key, stored);
    if (version === undefined) return;
    const ids = this.written.get(key) ?? new Set();
    this.written.set(key, ids.add(version));
  }
}

function choose(): Step {
  let at = Math.random() * STEPS.reduce((sum, { weight }) => sum + weight, 0);
  for (const step of STEPS) {
    at -= step.weight;
    if (at < 0) return step;
  }
  throw new Error('weights do not add up');
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number; attempts?: number } };
  return `${error.name} ${error.message} (${$metadata?.httpStatusCode ?? 'no answer'}, ${$metadata?.attempts ?? '?'} attempts)`;
}
