import { createHash, randomBytes } from 'node:crypto';
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';

/** What the client is started with, JSON in its first argument. */
export interface Orders {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly bucket: string;
  /** Chains of requests side by side. */
  readonly chains: number;
  /** Sizes of objects, bytes, in turn; those above 5 MiB are uploaded in parts. */
  readonly sizes: readonly number[];
}

/** The line that it prints once the first object is written. */
export const WRITING = 'writing';

/** What it prints at its end, JSON. */
export interface Report {
  readonly acknowledged: number;
  readonly bytes: number;
  /** Requests that the SDK sent again, by its own default rules. */
  readonly repeated: number;
  /** Requests that failed all the same. */
  readonly failed: readonly string[];
  /** Objects that were acknowledged and are not there, or with other bytes. */
  readonly wrong: readonly string[];
  /** Milliseconds. */
  readonly slowestWrite: number;
}

const PART = 5 * 1024 * 1024;
/** Every so many writes replace the object before, and are read at once. */
const REPLACE_EVERY = 4;

/** Writes until it is told to stop, and then reads all that was acknowledged. As the SDK comes, retries included. */
export class Client {
  readonly #s3: S3Client;
  readonly #orders: Orders;
  /** Hash of what was acknowledged last, by key. */
  readonly #written = new Map<string, string>();
  readonly #failed: string[] = [];
  readonly #wrong: string[] = [];
  readonly #counts = { acknowledged: 0, bytes: 0, repeated: 0, slowestWrite: 0 };

  constructor(orders: Orders) {
    const { endpoint, accessKeyId, secretAccessKey } = orders;
    this.#orders = orders;
    this.#s3 = new S3Client({
      endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey },
    });
    this.#s3.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        this.#counts.repeated +=
          ((result.output as { $metadata?: { attempts?: number } }).$metadata?.attempts ?? 1) - 1;
        return result;
      },
      { step: 'initialize', name: 'countAttempts' },
    );
  }

  async createBucket(): Promise<void> {
    await this.#s3.send(new CreateBucketCommand({ Bucket: this.#orders.bucket }));
  }

  async writeUntil(stop: AbortSignal, first: () => void): Promise<void> {
    await Promise.all(
      Array.from({ length: this.#orders.chains }, async (_, chain) => {
        for (let turn = 0; !stop.aborted; turn += 1) {
          await this.#write(chain, turn).catch((error: unknown) => this.#failed.push(describe(error)));
          first();
        }
      }),
    );
  }

  async verify(): Promise<void> {
    const left = [...this.#written.keys()];
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let key = left.pop(); key !== undefined; key = left.pop()) await this.#read(key);
      }),
    );
  }

  report(): Report {
    const { size } = this.#written;
    if (size === 0) this.#failed.push('nothing was written');
    return { ...this.#counts, failed: this.#failed, wrong: this.#wrong };
  }

  async #write(chain: number, turn: number): Promise<void> {
    const { sizes } = this.#orders;
    const replaces = turn % REPLACE_EVERY === REPLACE_EVERY - 1;
    const key = `chain-${chain}/${replaces ? turn - 1 : turn}`;
    const body = randomBytes(sizes[turn % sizes.length] ?? 0);
    const started = Date.now();
    // Should it fail, nobody knows what is under the key.
    this.#written.delete(key);
    await this.#put(key, body);
    this.#counts.slowestWrite = Math.max(this.#counts.slowestWrite, Date.now() - started);
    this.#written.set(key, hash(body));
    this.#counts.acknowledged += 1;
    this.#counts.bytes += body.length;
    if (replaces) await this.#read(key);
  }

  async #put(Key: string, Body: Buffer): Promise<void> {
    const params = { Bucket: this.#orders.bucket, Key, Body };
    if (Body.length <= PART) await this.#s3.send(new PutObjectCommand(params));
    else await new Upload({ client: this.#s3, params, partSize: PART, queueSize: 2 }).done();
  }

  async #read(Key: string): Promise<void> {
    try {
      const { Body } = await this.#s3.send(new GetObjectCommand({ Bucket: this.#orders.bucket, Key }));
      const read = hash((await Body?.transformToByteArray()) ?? new Uint8Array());
      if (read !== this.#written.get(Key)) this.#wrong.push(`${Key}: other bytes`);
    } catch (error) {
      this.#wrong.push(`${Key}: ${describe(error)}`);
    }
  }
}

function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { attempts } = (error as { $metadata?: { attempts?: number } }).$metadata ?? {};
  return `${error.name}: ${error.message} (sent ${attempts ?? 'an unknown number of'} times)`;
}
