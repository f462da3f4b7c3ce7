import { createHash } from 'node:crypto';
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3';

const MIB = 1024 * 1024;

export interface PlannedObject extends Omit<PutObjectCommandInput, 'Bucket' | 'Body' | 'Key'> {
  readonly Key: string;
  /** Sizes of its parts, in bytes; one number for an object in one piece. */
  readonly sizes: readonly number[];
}

const SAID = {
  ContentType: 'application/json',
  CacheControl: 'max-age=60',
  ContentDisposition: 'attachment; filename="a.json"',
  // Not gzip: clients in Go take it off by themselves, those of servers too.
  ContentEncoding: 'br',
  ContentLanguage: 'de',
};

/** One object for each thing that a server may keep in a way of its own. */
export const OBJECTS: readonly PlannedObject[] = [
  { Key: 'plain.txt', sizes: [100], ContentType: 'text/plain' },
  { Key: 'empty', sizes: [0], ContentType: 'text/plain' },
  { Key: 'headers.json', sizes: [2000], ...SAID, Metadata: { owner: 'team', project_id: '42' } },
  { Key: 'expires', sizes: [10], ContentType: 'text/plain', Expires: new Date('2031-01-01T00:00:00Z') },
  { Key: 'dashes', sizes: [10], ContentType: 'text/plain', Metadata: { 'my-key': 'my-value' } },
  { Key: 'tagged', sizes: [10], ContentType: 'text/plain', Tagging: 'project=blue&cost%20center=7' },
  { Key: 'cool', sizes: [10], ContentType: 'text/plain', StorageClass: 'STANDARD_IA' },
  { Key: 'large.bin', sizes: [9 * MIB], ContentType: 'application/octet-stream' },
  {
    ...{ Key: 'parts.bin', sizes: [5 * MIB, 6 * MIB, MIB], ...SAID, ContentType: 'video/mp4' },
    Metadata: { owner: 'team' },
  },
  { Key: 'folder/a space, +plus & more=?#%41', sizes: [10], ContentType: 'text/plain' },
  { Key: 'folder/größe/日本語', sizes: [10], ContentType: 'text/plain' },
  { Key: 'folder/ends in a dot./x', sizes: [10], ContentType: 'text/plain' },
  { Key: 'folder/emoji 😀', sizes: [10], ContentType: 'text/plain' },
];

/** Where an S3 server is, and its key. */
export interface Endpoint {
  readonly endpoint: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/** A client that sends what every server knows: no checksums but those that S3 demands. */
export function clientOf({ endpoint, accessKey: accessKeyId, secretKey: secretAccessKey }: Endpoint): S3Client {
  return new S3Client({
    ...{ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } },
    ...{ requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED' },
  });
}

/** Bytes of their own for each key and part. */
export function bytesOf(key: string, part: number, size: number): Buffer {
  const seed = createHash('sha256').update(`${key} ${part}`).digest();
  return Buffer.alloc(size, seed);
}

/**
 * Makes a bucket and writes the objects into it as clients of a server did.
 * @returns what the server refused, a line each, with its code: such objects never were on it
 */
export async function writeObjects(client: S3Client, bucket: string): Promise<string[]> {
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  const refused: string[] = [];
  for (const planned of OBJECTS) {
    try {
      await put(client, bucket, planned);
    } catch (error) {
      // Some answer by ending the connection.
      const code = (error as { code?: string }).code;
      if (!(error instanceof S3ServiceException) && code !== 'ECONNRESET') throw error;
      refused.push(`\`${planned.Key}\` (${error instanceof S3ServiceException ? error.name : 'the connection ended'})`);
    }
  }
  return refused;
}

/** The same in a bucket with versioning, and a history of two keys with delete markers before and between versions. */
export async function writeHistory(client: S3Client, bucket: string): Promise<void> {
  const enabled = { Bucket: bucket, VersioningConfiguration: { Status: 'Enabled' } } as const;
  await writeObjects(client, bucket);
  await client.send(new PutBucketVersioningCommand(enabled));
  const [first, second] = [OBJECTS[2], OBJECTS[8]];
  if (first === undefined || second === undefined) throw new Error('the data set has lost its objects');
  for (const size of [1, 2, 3]) {
    await put(client, bucket, { ...first, sizes: [size] });
    await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: first.Key }));
  }
  await put(client, bucket, { ...first, sizes: [5], Tagging: 'version=last' });
  await put(client, bucket, { ...second, sizes: [5 * MIB, 3] });
  await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: second.Key }));
  await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: second.Key }));
}

async function put(client: S3Client, bucket: string, { sizes, ...said }: PlannedObject): Promise<void> {
  const to = { Bucket: bucket, ...said };
  const [size = 0, ...others] = sizes;
  if (others.length === 0) {
    await client.send(new PutObjectCommand({ ...to, Body: bytesOf(said.Key, 1, size) }));
    return;
  }
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(to));
  const upload = { Bucket: bucket, Key: said.Key, UploadId };
  const Parts = [];
  for (const [index, partSize] of sizes.entries()) {
    const part = { PartNumber: index + 1, Body: bytesOf(said.Key, index + 1, partSize) };
    const { ETag } = await client.send(new UploadPartCommand({ ...upload, ...part }));
    Parts.push({ PartNumber: index + 1, ETag });
  }
  await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
}
