import { createHash, randomBytes } from 'node:crypto';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { BlobServiceClient, type ContainerClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY } from '../../adapters/azure/credentials.ts';
import { client, versionPages } from './support/client.ts';

const NAME = `migrated-${randomBytes(5).toString('hex')}`;

/** What another tool left: names and sizes of all sorts, some written in blocks, which leaves Azure without an MD5. */
const BLOBS: readonly { readonly name: string; readonly body: Buffer; readonly inBlocks?: boolean }[] = [
  { name: 'readme.txt', body: Buffer.from('native') },
  { name: 'empty', body: Buffer.alloc(0) },
  { name: 'photos/2024/a b+c.jpg', body: randomBytes(300_000) },
  { name: 'photos/2024/ünï.jpg', body: randomBytes(10_000) },
  { name: 'photos/2025/large', body: randomBytes(3_000_000), inBlocks: true },
  { name: 'data/x=1/part-0', body: randomBytes(5_000), inBlocks: true },
];

describe.skipIf(inject('testbed').backend.kind !== 'azure')('a container that Azure tools filled', () => {
  const s3 = client('http');
  let container: ContainerClient;

  beforeAll(async () => {
    const { endpoint = '' } = inject('testbed').backend;
    const service = new BlobServiceClient(
      endpoint,
      new StorageSharedKeyCredential(DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY),
    );
    container = service.getContainerClient(NAME);
    await container.create();
    for (const { name, body, inBlocks = false } of BLOBS) {
      const blob = container.getBlockBlobClient(name);
      const options = { blobHTTPHeaders: { blobContentType: 'application/x-native' }, metadata: { origin: 'azure' } };
      if (!inBlocks) {
        await blob.upload(body, body.length, options);
      } else {
        const ids = ['a', 'b'].map((id) => Buffer.from(id).toString('base64'));
        const half = Math.floor(body.length / 2);
        await blob.stageBlock(ids[0] ?? '', body.subarray(0, half), half);
        await blob.stageBlock(ids[1] ?? '', body.subarray(half), body.length - half);
        await blob.commitBlockList(ids, options);
      }
    }
  });
  afterAll(async () => {
    await container.deleteIfExists();
  });

  async function bytes(Key: string, VersionId?: string): Promise<Buffer> {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: NAME, Key, VersionId }));
    return Buffer.from(await (Body?.transformToByteArray() ?? []));
  }

  async function versions(): Promise<{ key: string; id: string; latest: boolean }[]> {
    const all = [];
    for await (const { Versions = [], DeleteMarkers = [] } of versionPages(s3, NAME, 3)) {
      for (const { Key = '', VersionId = '', IsLatest = false } of [...Versions, ...DeleteMarkers]) {
        all.push({ key: Key, id: VersionId, latest: IsLatest });
      }
    }
    return all;
  }

  it('is a bucket as it stands', async () => {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: NAME }));
    expect(Contents.map(({ Key, Size }) => [Key, Size])).toEqual(
      BLOBS.map(({ name, body }) => [name, body.length]).sort(),
    );
    const { Metadata, ContentType } = await s3.send(new GetObjectCommand({ Bucket: NAME, Key: 'readme.txt' }));
    expect([Metadata, ContentType]).toEqual([{ origin: 'azure' }, 'application/x-native']);
  });

  it('keeps every blob as the null version when versioning is switched on and its key is overwritten', async () => {
    await s3.send(new PutBucketVersioningCommand({ Bucket: NAME, VersioningConfiguration: { Status: 'Enabled' } }));
    expect((await versions()).map(({ key, id, latest }) => [key, id, latest])).toEqual(
      BLOBS.map(({ name }) => [name, 'null', true]).sort(),
    );

    for (const { name } of BLOBS) await s3.send(new PutObjectCommand({ Bucket: NAME, Key: name, Body: `new ${name}` }));
    for (const { name, body } of BLOBS) {
      expect((await bytes(name)).toString()).toBe(`new ${name}`);
      expect((await bytes(name, 'null')).equals(body)).toBe(true);
      const { ContentType, Metadata, ETag } = await s3.send(
        new GetObjectCommand({ Bucket: NAME, Key: name, VersionId: 'null' }),
      );
      expect([ContentType, Metadata]).toEqual(['application/x-native', { origin: 'azure' }]);
      if (!ETag?.includes('-')) expect(ETag).toBe(`"${createHash('md5').update(body).digest('hex')}"`);
    }
    expect(await versions()).toHaveLength(2 * BLOBS.length);
  });

  it('gives back what was deleted, and what was overwritten', async () => {
    const [first, second] = [BLOBS[2], BLOBS[4]];
    if (first === undefined || second === undefined) throw new Error('no blobs');
    const { VersionId } = await s3.send(new DeleteObjectCommand({ Bucket: NAME, Key: first.name }));
    await expect(bytes(first.name)).rejects.toMatchObject({ name: 'NoSuchKey' });
    await s3.send(new DeleteObjectCommand({ Bucket: NAME, Key: first.name, VersionId }));
    expect((await bytes(first.name)).toString()).toBe(`new ${first.name}`);

    const CopySource = `${NAME}/${encodeURIComponent(second.name)}?versionId=null`;
    await s3.send(new CopyObjectCommand({ Bucket: NAME, Key: second.name, CopySource }));
    expect((await bytes(second.name)).equals(second.body)).toBe(true);
    const ids = (await versions()).filter(({ key }) => key === second.name).map(({ id }) => id);
    expect(ids).toHaveLength(3);
    expect(ids.at(-1)).toBe('null');
  });
});
