import { createHash, randomBytes } from 'node:crypto';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { BACKENDS, type Cloud, startCloud } from '../../support/backends/clouds.ts';
import { startGatewayOver, type TestGateway } from '../../support/gateway/gateway.ts';
import { ACCESS_KEY, REGION, SECRET_KEY } from '../../support/clients/sign-raw.ts';
import { tlsMaterial } from '../../support/certificates.ts';

/* Keys of customers as the SDK for JavaScript says them, over TLS, where no setting has to allow them. */

const MIB = 1024 * 1024;

interface Shown {
  readonly SSECustomerAlgorithm: 'AES256';
  readonly SSECustomerKey: string;
  readonly SSECustomerKeyMD5: string;
}

function newKey(): Shown {
  const key = randomBytes(32);
  return {
    SSECustomerAlgorithm: 'AES256',
    SSECustomerKey: key.toString('base64'),
    SSECustomerKeyMD5: createHash('md5').update(key).digest('base64'),
  };
}

/** The same key, for what is copied. */
const source = (key: Shown) => ({
  CopySourceSSECustomerAlgorithm: key.SSECustomerAlgorithm,
  CopySourceSSECustomerKey: key.SSECustomerKey,
  CopySourceSSECustomerKeyMD5: key.SSECustomerKeyMD5,
});

describe.each(BACKENDS)('keys of customers through the AWS SDK over TLS, on %s', (name) => {
  const Bucket = 'keys-by-sdk';
  const [one, two] = [newKey(), newKey()];
  let cloud: Cloud;
  let gateway: TestGateway<BlobStore>;
  let s3: S3Client;

  beforeAll(async () => {
    cloud = await startCloud(name, { customerKeys: true });
    gateway = await startGatewayOver(cloud.open(), { tls: await tlsMaterial(), systemContainer: 'keys-system' });
    s3 = new S3Client({
      endpoint: `https://127.0.0.1:${gateway.port}`,
      region: REGION,
      forcePathStyle: true,
      credentials: { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY },
      requestHandler: new NodeHttpHandler({ httpsAgent: new https.Agent({ rejectUnauthorized: false }) }),
    });
    await s3.send(new CreateBucketCommand({ Bucket }));
  }, 180_000);
  afterAll(async () => {
    s3.destroy();
    await gateway.close();
    await cloud.stop();
  });

  async function get(Key: string, key: Partial<Shown>, Range?: string): Promise<Buffer> {
    const { Body } = await s3.send(
      new GetObjectCommand({ Bucket, Key, ...key, ...(Range !== undefined && { Range }) }),
    );
    return buffer(Body as Readable);
  }

  it('put, get, head and range', async () => {
    const Body = randomBytes(300_000);
    const put = await s3.send(new PutObjectCommand({ Bucket, Key: 'o', Body, ...one }));
    expect([put.SSECustomerAlgorithm, put.SSECustomerKeyMD5]).toEqual(['AES256', one.SSECustomerKeyMD5]);
    expect((await get('o', one)).equals(Body)).toBe(true);
    expect((await get('o', one, 'bytes=1000-70999')).equals(Body.subarray(1000, 71_000))).toBe(true);
    expect((await s3.send(new HeadObjectCommand({ Bucket, Key: 'o', ...one }))).ContentLength).toBe(Body.length);
    for (const key of [{}, two]) {
      await expect(get('o', key)).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } });
    }
  });

  it.each(['CRC32', 'SHA256', 'MD5'] as const)('with a checksum by %s', async (ChecksumAlgorithm) => {
    const Body = Buffer.from('checked');
    await s3.send(new PutObjectCommand({ Bucket, Key: 'checked', Body, ChecksumAlgorithm, ...one }));
    expect((await get('checked', one)).equals(Body)).toBe(true);
  });

  it('copies between keys, and a key that is rotated by a copy onto itself', async () => {
    const Body = randomBytes(50_000);
    const CopySource = `${Bucket}/source`;
    await s3.send(new PutObjectCommand({ Bucket, Key: 'source', Body, ...one }));
    await s3.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource, ...source(one), ...two }));
    expect((await get('copy', two)).equals(Body)).toBe(true);
    await s3.send(new CopyObjectCommand({ Bucket, Key: 'source', CopySource, ...source(one), ...two }));
    expect((await get('source', two)).equals(Body)).toBe(true);
    await expect(get('source', one)).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } });
    await expect(
      s3.send(new CopyObjectCommand({ Bucket, Key: 'never', CopySource, ...source(one), ...two })),
    ).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } });
  });

  it('an upload in parts, one of them copied from an object under another key', async () => {
    const Key = 'parts';
    const [first, last] = [randomBytes(5 * MIB), randomBytes(5 * MIB + 1)];
    await s3.send(new PutObjectCommand({ Bucket, Key: 'part-source', Body: last, ...two }));
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ...one }));
    const part = { Bucket, Key, UploadId, ...one };
    const sent = await s3.send(new UploadPartCommand({ ...part, PartNumber: 1, Body: first }));
    await expect(s3.send(new UploadPartCommand({ ...part, ...two, PartNumber: 2, Body: first }))).rejects.toMatchObject(
      { $metadata: { httpStatusCode: 400 } },
    );
    const copied = await s3.send(
      new UploadPartCopyCommand({ ...part, PartNumber: 2, CopySource: `${Bucket}/part-source`, ...source(two) }),
    );
    const Parts = [
      { PartNumber: 1, ETag: sent.ETag },
      { PartNumber: 2, ETag: copied.CopyPartResult?.ETag },
    ];
    await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));
    const whole = Buffer.concat([first, last]);
    expect((await get(Key, one)).equals(whole)).toBe(true);
    const across = `bytes=${5 * MIB - 10}-${5 * MIB + 9}`;
    expect((await get(Key, one, across)).equals(whole.subarray(5 * MIB - 10, 5 * MIB + 10))).toBe(true);
  }, 180_000);
});
