import { createHash, randomBytes } from 'node:crypto';
import { PassThrough, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCHEMES, client, newBucket } from './support/client.ts';

const PART = 5 * 1024 * 1024;

async function create(s3: S3Client, Bucket: string, Key: string): Promise<string> {
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, Metadata: { q: '1' } }));
  return UploadId ?? '';
}

interface PartUpload {
  readonly Bucket: string;
  readonly Key: string;
  readonly UploadId: string;
}

async function part(
  s3: S3Client,
  upload: PartUpload,
  PartNumber: number,
  Body: Buffer,
): Promise<{ PartNumber: number; ETag: string }> {
  const { ETag = '' } = await s3.send(new UploadPartCommand({ ...upload, PartNumber, Body }));
  return { PartNumber, ETag };
}

async function complete(
  s3: S3Client,
  upload: PartUpload,
  Parts: { PartNumber: number; ETag: string }[],
): Promise<string | undefined> {
  const { ETag } = await s3.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
  return ETag;
}

async function contentOf(s3: S3Client, Bucket: string, Key: string): Promise<Buffer> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
  return buffer(Body as Readable);
}

function multipartEtag(...parts: Buffer[]): string {
  const digests = parts.map((bytes) => createHash('md5').update(bytes).digest());
  return `"${createHash('md5').update(Buffer.concat(digests)).digest('hex')}-${String(parts.length)}"`;
}

describe.each(SCHEMES)('multipart uploads through the AWS SDK over %s', (scheme) => {
  const s3 = client(scheme);
  const second = client(scheme, { replica: 1 });
  let Bucket: string;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    ({ name: Bucket, remove } = await newBucket(s3));
  });
  afterAll(async () => {
    await remove();
  });

  it('uploads a stream of unknown length with lib-storage', async () => {
    const content = randomBytes(2 * PART + 1234);
    const body = new PassThrough();
    const upload = new Upload({ client: s3, params: { Bucket, Key: 'lib', Body: body }, partSize: PART, queueSize: 3 });
    body.end(content);
    await upload.done();
    expect((await contentOf(s3, Bucket, 'lib')).equals(content)).toBe(true);
  });

  it.each(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256', 'MD5'] as const)(
    'keeps the %s of what lib-storage uploads, of one part and of two',
    async (ChecksumAlgorithm) => {
      for (const size of [0, 1, PART + 3]) {
        const Key = `${ChecksumAlgorithm}-${size}`;
        const Body = randomBytes(size);
        await new Upload({ client: s3, params: { Bucket, Key, Body, ChecksumAlgorithm } }).done();
        const head = await second.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
        expect(head[`Checksum${ChecksumAlgorithm}`], Key).toMatch(
          size > PART && head.ChecksumType === 'COMPOSITE' ? /=?-2$/ : /=?$/,
        );
        expect((await contentOf(s3, Bucket, Key)).equals(Body)).toBe(true);
      }
    },
  );

  it('completes over two replicas with the ETag of its parts, repeatably, and reads by part number', async () => {
    const Key = 'two-replicas';
    const upload = { Bucket, Key, UploadId: await create(s3, Bucket, Key) };
    const [a, b] = [randomBytes(PART), randomBytes(100)];
    const parts = [await part(s3, upload, 1, a), await part(second, upload, 2, b)];
    const listed = await second.send(new ListPartsCommand({ ...upload, MaxParts: 1 }));
    expect(listed).toMatchObject({
      IsTruncated: true,
      NextPartNumberMarker: '1',
      Parts: [{ PartNumber: 1, Size: PART }],
    });
    expect(await complete(second, upload, parts)).toBe(multipartEtag(a, b));
    expect(await complete(s3, upload, parts)).toBe(multipartEtag(a, b));
    expect((await contentOf(s3, Bucket, Key)).equals(Buffer.concat([a, b]))).toBe(true);
    const last = await s3.send(new GetObjectCommand({ Bucket, Key, PartNumber: 2 }));
    expect(last).toMatchObject({ PartsCount: 2, ContentLength: 100, Metadata: { q: '1' } });
    expect((await buffer(last.Body as Readable)).equals(b)).toBe(true);
  });

  it('keeps two uploads of one key, and a PUT during one, apart', async () => {
    const Key = 'contended';
    const one = { Bucket, Key, UploadId: await create(s3, Bucket, Key) };
    const two = { Bucket, Key, UploadId: await create(second, Bucket, Key) };
    const contents = [randomBytes(PART), randomBytes(PART), randomBytes(10), randomBytes(20)] as const;
    const firstOfOne = await part(s3, one, 1, contents[0]);
    const firstOfTwo = await part(second, two, 1, contents[1]);
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'in between' }));
    expect((await contentOf(second, Bucket, Key)).toString()).toBe('in between');
    const lastOfOne = await part(second, one, 2, contents[2]);
    await complete(s3, one, [firstOfOne, lastOfOne]);
    expect((await contentOf(s3, Bucket, Key)).equals(Buffer.concat([contents[0], contents[2]]))).toBe(true);
    const lastOfTwo = await part(s3, two, 2, contents[3]);
    await complete(second, two, [firstOfTwo, lastOfTwo]);
    expect((await contentOf(s3, Bucket, Key)).equals(Buffer.concat([contents[1], contents[3]]))).toBe(true);
  });

  it('aborts without touching the object, and forgets the upload', async () => {
    const Key = 'aborted';
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'stays' }));
    const upload = { Bucket, Key, UploadId: await create(s3, Bucket, Key) };
    await part(s3, upload, 1, randomBytes(10));
    const uploads = await s3.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key }));
    expect(uploads.Uploads).toMatchObject([{ Key, UploadId: upload.UploadId }]);
    await second.send(new AbortMultipartUploadCommand(upload));
    await expect(s3.send(new ListPartsCommand(upload))).rejects.toMatchObject({ name: 'NoSuchUpload' });
    await expect(part(s3, upload, 2, randomBytes(10))).rejects.toMatchObject({ name: 'NoSuchUpload' });
    expect((await contentOf(s3, Bucket, Key)).toString()).toBe('stays');
  });

  it('refuses a wrong part list and leaves the upload completable', async () => {
    const Key = 'refused';
    const upload = { Bucket, Key, UploadId: await create(s3, Bucket, Key) };
    const parts = [await part(s3, upload, 1, randomBytes(10)), await part(s3, upload, 2, randomBytes(10))];
    await expect(complete(s3, upload, parts)).rejects.toMatchObject({ name: 'EntityTooSmall' });
    await expect(complete(s3, upload, [...parts].reverse())).rejects.toMatchObject({ name: 'InvalidPartOrder' });
    await expect(complete(s3, upload, [{ PartNumber: 1, ETag: '"0"' }])).rejects.toMatchObject({ name: 'InvalidPart' });
    await complete(s3, upload, parts.slice(1));
    expect(await s3.send(new HeadObjectCommand({ Bucket, Key }))).toMatchObject({ ContentLength: 10 });
  });

  it('copies parts from objects, whole and by range', async () => {
    const source = randomBytes(PART + 100);
    await s3.send(new PutObjectCommand({ Bucket, Key: 'source', Body: source }));
    const upload = { Bucket, Key: 'assembled', UploadId: await create(s3, Bucket, 'assembled') };
    const copy = { ...upload, CopySource: `${Bucket}/source` };
    const first = await s3.send(new UploadPartCopyCommand({ ...copy, PartNumber: 1 }));
    const last = await second.send(
      new UploadPartCopyCommand({ ...copy, PartNumber: 2, CopySourceRange: 'bytes=10-19' }),
    );
    await complete(s3, upload, [
      { PartNumber: 1, ETag: first.CopyPartResult?.ETag ?? '' },
      { PartNumber: 2, ETag: last.CopyPartResult?.ETag ?? '' },
    ]);
    expect((await contentOf(s3, Bucket, 'assembled')).equals(Buffer.concat([source, source.subarray(10, 20)]))).toBe(
      true,
    );
  });

  it('lets exactly one of many racing creators win, over two replicas', async () => {
    const racers = Array.from({ length: 100 }, (_, i) =>
      (i % 2 === 0 ? s3 : second).send(
        new PutObjectCommand({ Bucket, Key: 'once', Body: String(i), IfNoneMatch: '*' }),
      ),
    );
    const outcomes = await Promise.allSettled(racers);
    expect(outcomes.filter((o) => o.status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ name: 'PreconditionFailed' });
    }
  });
});
