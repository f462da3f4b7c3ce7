import { randomBytes } from 'node:crypto';
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { Testbed } from '../../support/gateway/testbed.ts';
import { RecordingSigner } from './recording-signer.ts';

const PART_BYTES = 5 * 1024 * 1024;

/** Clients at work on two replicas, and what the inspector should show of it. */
export class Scene {
  readonly bucket = 'photos';
  readonly photo = 'holidays/2026/norway/IMG_2931.jpg';
  readonly film = 'holidays/2026/norway/fjord.mp4';
  readonly diary = 'diary/november.md';
  readonly #clients: readonly S3Client[];
  readonly #bed: Testbed;

  constructor(bed: Testbed) {
    this.#bed = bed;
    this.#clients = bed.endpoints.map((endpoint) => new S3Client(this.#config(endpoint)));
  }

  /** The client of a replica. */
  client(replica: number): S3Client {
    const client = this.#clients[replica];
    if (client === undefined) throw new Error(`there is no replica ${replica}`);
    return client;
  }

  async open(): Promise<void> {
    await this.client(0).send(new CreateBucketCommand({ Bucket: this.bucket }));
  }

  /** Reads and writes on both replicas, one of them in vain. */
  async everydayWork(): Promise<void> {
    const at = { Bucket: this.bucket, Key: this.photo };
    await this.client(0).send(new PutObjectCommand({ ...at, Body: randomBytes(40_000), ContentType: 'image/jpeg' }));
    await this.client(1).send(new HeadObjectCommand(at));
    const { Body } = await this.client(1).send(new GetObjectCommand({ ...at, Range: 'bytes=0-999' }));
    await Body?.transformToByteArray();
    await this.client(0).send(new ListObjectsV2Command({ Bucket: this.bucket, Prefix: 'holidays/' }));
    await this.client(1)
      .send(new GetObjectCommand({ Bucket: this.bucket, Key: 'holidays/lost.jpg' }))
      .catch(() => undefined);
  }

  /** An upload of two parts, begun at one replica and completed at the other. */
  async upload(): Promise<void> {
    const at = { Bucket: this.bucket, Key: this.film };
    const { UploadId } = await this.client(0).send(
      new CreateMultipartUploadCommand({ ...at, ContentType: 'video/mp4' }),
    );
    const parts = await Promise.all(
      [PART_BYTES, 1000].map(async (bytes, index) => {
        const part = { ...at, UploadId, PartNumber: index + 1 };
        const { ETag } = await this.client(index).send(new UploadPartCommand({ ...part, Body: randomBytes(bytes) }));
        return { ETag, PartNumber: index + 1 };
      }),
    );
    await this.client(1).send(
      new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload: { Parts: parts } }),
    );
  }

  /** Two versions, a delete marker, and a third version on top. */
  async versions(): Promise<void> {
    const at = { Bucket: this.bucket, Key: this.diary };
    await this.client(0).send(
      new PutBucketVersioningCommand({ Bucket: this.bucket, VersioningConfiguration: { Status: 'Enabled' } }),
    );
    const put = (text: string, replica: number, more: object = {}): Promise<unknown> =>
      this.client(replica).send(new PutObjectCommand({ ...at, Body: text, ContentType: 'text/markdown', ...more }));
    await put('rain', 0);
    await put('snow', 1);
    await this.client(0).send(new DeleteObjectCommand(at));
    await put('sun', 1, { Tagging: 'weather=sun&place=Bergen', Metadata: { author: 'Kari' } });
  }

  /** A proxy writes its own name into the Host header of a signed request. Returns what the client signed. */
  async failedSignature(): Promise<RecordingSigner> {
    const [endpoint] = this.#bed.endpoints;
    const config = this.#config(endpoint ?? '');
    const signer = new RecordingSigner({
      service: 's3',
      region: config.region,
      credentials: config.credentials,
      uriEscapePath: false,
      sha256: this.client(0).config.sha256,
    });
    const client = new S3Client({ ...config, signer, maxAttempts: 1 });
    client.middlewareStack.add(
      (next) => (args) => {
        const { headers } = args.request as { readonly headers: Record<string, string> };
        headers['x-forwarded-host'] = headers['host'] ?? '';
        headers['host'] = 'storage.internal';
        return next(args);
      },
      { step: 'deserialize', priority: 'high' },
    );
    await client
      .send(new PutObjectCommand({ Bucket: this.bucket, Key: this.photo, Body: 'altered' }))
      .catch(() => undefined);
    client.destroy();
    return signer;
  }

  close(): void {
    for (const client of this.#clients) client.destroy();
  }

  #config(endpoint: string): {
    endpoint: string;
    region: string;
    forcePathStyle: true;
    credentials: { accessKeyId: string; secretAccessKey: string };
  } {
    const [account] = this.#bed.accounts;
    if (account === undefined) throw new Error('the test bed has no account');
    return {
      endpoint,
      region: this.#bed.region,
      forcePathStyle: true,
      credentials: { accessKeyId: account.accessKey, secretAccessKey: account.secretKey },
    };
  }
}
