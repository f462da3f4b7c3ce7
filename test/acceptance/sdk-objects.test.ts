import { createHash, randomBytes } from 'node:crypto';
import https from 'node:https';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  NoSuchBucket,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  type S3Client,
  paginateListObjectsV2,
  waitUntilObjectExists,
  waitUntilObjectNotExists,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCHEMES, client, newBucket } from './support/client.ts';

const MIB = 1024 * 1024;

async function bytesOf(s3: S3Client, Bucket: string, Key: string, more: { Range?: string } = {}): Promise<Buffer> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key, ...more }));
  return buffer(Body as Readable);
}

describe.each(SCHEMES)('objects through the AWS SDK over %s', (scheme) => {
  const s3 = client(scheme);
  let Bucket: string;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    ({ name: Bucket, remove } = await newBucket(s3));
  });
  afterAll(async () => {
    await remove();
  });

  it.each(['WHEN_SUPPORTED', 'WHEN_REQUIRED'] as const)(
    'round-trips strings, buffers and streams with checksums %s',
    async (mode) => {
      const tuned = client(scheme, { requestChecksumCalculation: mode, responseChecksumValidation: mode });
      const big = randomBytes(3 * MIB + 17);
      const bodies: [string, string | Buffer, PutBody][] = [
        ['string', 'hello', 'hello'],
        ['empty', '', ''],
        ['buffer', big, big],
        ['stream', big, Readable.from([big.subarray(0, 10_000), big.subarray(10_000, MIB), big.subarray(MIB)])],
      ];
      for (const [Key, content, Body] of bodies) {
        const { ETag } = await tuned.send(
          new PutObjectCommand({ Bucket, Key, Body, ContentLength: Buffer.byteLength(content) }),
        );
        expect(ETag).toBe(`"${createHash('md5').update(content).digest('hex')}"`);
        expect((await bytesOf(tuned, Bucket, Key)).equals(Buffer.from(content))).toBe(true);
      }
    },
  );

  it.each(['CRC32', 'CRC32C', 'SHA1', 'SHA256'] as const)(
    'stores and returns %s, for small bodies and for streams beyond the hold-back',
    async (algorithm) => {
      const field = `Checksum${algorithm}` as const;
      for (const size of [5, 2 * MIB]) {
        const content = randomBytes(size);
        const Body = size === 5 ? content : Readable.from([content]);
        const put = await s3.send(
          new PutObjectCommand({ Bucket, Key: 'sum', Body, ContentLength: size, ChecksumAlgorithm: algorithm }),
        );
        const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'sum', ChecksumMode: 'ENABLED' }));
        expect(head[field]).toBeTruthy();
        expect(head[field]).toBe(put[field]);
        const ranged = await s3.send(
          new GetObjectCommand({ Bucket, Key: 'sum', Range: 'bytes=0-1', ChecksumMode: 'ENABLED' }),
        );
        expect(ranged[field]).toBeUndefined();
        await buffer(ranged.Body as Readable);
      }
    },
  );

  it('stores and returns a CRC64NVME, and refuses a wrong one', async () => {
    const Body = '123456789';
    await s3.send(new PutObjectCommand({ Bucket, Key: 'crc64', Body, ChecksumCRC64NVME: 'rosUhgp5mIg=' }));
    expect(await s3.send(new HeadObjectCommand({ Bucket, Key: 'crc64', ChecksumMode: 'ENABLED' }))).toMatchObject({
      ChecksumCRC64NVME: 'rosUhgp5mIg=',
      ChecksumType: 'FULL_OBJECT',
    });
    const wrong = s3.send(
      new PutObjectCommand({ Bucket, Key: 'crc64', Body: 'other', ChecksumCRC64NVME: 'rosUhgp5mIg=' }),
    );
    await expect(wrong).rejects.toMatchObject({ name: 'BadDigest' });
    expect((await bytesOf(s3, Bucket, 'crc64')).toString()).toBe(Body);
  });

  it('succeeds when the SDK repeats a request whose answer it never saw', async () => {
    const inner = new NodeHttpHandler({ httpsAgent: new https.Agent({ rejectUnauthorized: false }) });
    let attempts = 0;
    const losesFirstAnswer = {
      handle: async (...args: Parameters<NodeHttpHandler['handle']>): ReturnType<NodeHttpHandler['handle']> => {
        const answer = await inner.handle(...args);
        attempts += 1;
        if (attempts === 1) {
          throw Object.assign(new Error('connection reset'), { code: 'ECONNRESET', name: 'TimeoutError' });
        }
        return answer;
      },
    };
    const flaky = client(scheme, { requestHandler: losesFirstAnswer });
    await flaky.send(new PutObjectCommand({ Bucket, Key: 'retried', Body: 'twice' }));
    expect(attempts).toBe(2);
    expect((await bytesOf(s3, Bucket, 'retried')).toString()).toBe('twice');
  });

  it('keeps content headers, user metadata and odd keys', async () => {
    for (const Key of [
      'a//b',
      '/lead',
      'trail/',
      '../up',
      'a/./b',
      'x\\y',
      'sp ace+plus&amp%41',
      'ünï-日本-😀',
      'tab\tnl\n',
      '?#[]*',
      'a%2Fb',
      'dot.',
    ]) {
      const meta = { plain: 'v', 'with-dash': 'w', '0digit': '1' };
      await s3.send(
        new PutObjectCommand({
          Bucket,
          Key,
          Body: Key,
          Metadata: meta,
          ContentType: 'a/b',
          CacheControl: 'max-age=3',
          ContentLanguage: 'de',
        }),
      );
      const head = await s3.send(new HeadObjectCommand({ Bucket, Key }));
      expect(head).toMatchObject({
        ContentType: 'a/b',
        CacheControl: 'max-age=3',
        ContentLanguage: 'de',
        Metadata: meta,
      });
      expect((await bytesOf(s3, Bucket, Key)).toString()).toBe(Key);
      const listed = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: Key, EncodingType: 'url' }));
      expect((listed.Contents ?? []).map((o) => decodeURIComponent((o.Key ?? '').replaceAll('+', '%20')))).toContain(
        Key,
      );
      await s3.send(new DeleteObjectCommand({ Bucket, Key }));
      await expect(s3.send(new HeadObjectCommand({ Bucket, Key }))).rejects.toBeInstanceOf(NotFound);
    }
  });

  it('reads ranges and honours conditions', async () => {
    await s3.send(new PutObjectCommand({ Bucket, Key: 'r', Body: '0123456789' }));
    expect((await bytesOf(s3, Bucket, 'r', { Range: 'bytes=2-4' })).toString()).toBe('234');
    expect((await bytesOf(s3, Bucket, 'r', { Range: 'bytes=-3' })).toString()).toBe('789');
    expect((await bytesOf(s3, Bucket, 'r', { Range: 'bytes=7-' })).toString()).toBe('789');
    await expect(bytesOf(s3, Bucket, 'r', { Range: 'bytes=10-' })).rejects.toMatchObject({ name: 'InvalidRange' });
    const { ETag } = await s3.send(new HeadObjectCommand({ Bucket, Key: 'r' }));
    await expect(s3.send(new GetObjectCommand({ Bucket, Key: 'r', IfNoneMatch: ETag }))).rejects.toMatchObject({
      $metadata: { httpStatusCode: 304 },
    });
    await expect(s3.send(new GetObjectCommand({ Bucket, Key: 'r', IfMatch: '"0"' }))).rejects.toMatchObject({
      name: 'PreconditionFailed',
    });
  });

  it('throws the error classes of the SDK', async () => {
    await expect(s3.send(new GetObjectCommand({ Bucket, Key: 'none' }))).rejects.toBeInstanceOf(NoSuchKey);
    await expect(s3.send(new ListObjectsV2Command({ Bucket: `${Bucket}-none` }))).rejects.toBeInstanceOf(NoSuchBucket);
    await expect(s3.send(new HeadBucketCommand({ Bucket: `${Bucket}-none` }))).rejects.toBeInstanceOf(NotFound);
    const stranger = client(scheme, { account: 'alt' });
    await expect(stranger.send(new ListObjectsV2Command({ Bucket }))).rejects.toMatchObject({
      name: 'AccessDenied',
      $metadata: { httpStatusCode: 403 },
    });
    const wrong = client(scheme, { credentials: { accessKeyId: 'NOBODY', secretAccessKey: 'x' } });
    await expect(wrong.send(new ListBucketsCommand({}))).rejects.toMatchObject({ name: 'InvalidAccessKeyId' });
  });

  it('pages, waits and deletes in batches', async () => {
    const keys = Array.from({ length: 25 }, (_, i) => `page/${String(i).padStart(2, '0')}`);
    await Promise.all(keys.map((Key) => s3.send(new PutObjectCommand({ Bucket, Key, Body: Key }))));
    await waitUntilObjectExists({ client: s3, maxWaitTime: 10 }, { Bucket, Key: keys[0] });
    const seen: string[] = [];
    for await (const page of paginateListObjectsV2({ client: s3, pageSize: 7 }, { Bucket, Prefix: 'page/' })) {
      seen.push(...(page.Contents ?? []).map((o) => o.Key ?? ''));
    }
    expect(seen).toEqual(keys);
    const { Deleted } = await s3.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects: [...keys, 'never'].map((Key) => ({ Key })) } }),
    );
    expect(Deleted).toHaveLength(26);
    await waitUntilObjectNotExists({ client: s3, maxWaitTime: 10 }, { Bucket, Key: keys[0] });
  });

  it('copies, with and without new metadata', async () => {
    await s3.send(
      new PutObjectCommand({ Bucket, Key: 'src', Body: 'copy me', Metadata: { a: '1' }, ContentType: 'text/x' }),
    );
    await s3.send(new CopyObjectCommand({ Bucket, Key: 'dst', CopySource: `${Bucket}/src` }));
    expect(await s3.send(new HeadObjectCommand({ Bucket, Key: 'dst' }))).toMatchObject({
      Metadata: { a: '1' },
      ContentType: 'text/x',
    });
    await s3.send(
      new CopyObjectCommand({
        Bucket,
        Key: 'dst',
        CopySource: `${Bucket}/dst`,
        MetadataDirective: 'REPLACE',
        Metadata: { b: '2' },
        ContentType: 'text/y',
      }),
    );
    expect(await s3.send(new HeadObjectCommand({ Bucket, Key: 'dst' }))).toMatchObject({
      Metadata: { b: '2' },
      ContentType: 'text/y',
    });
    expect((await bytesOf(s3, Bucket, 'dst')).toString()).toBe('copy me');
    const attributes = await s3.send(
      new GetObjectAttributesCommand({ Bucket, Key: 'dst', ObjectAttributes: ['ETag', 'ObjectSize', 'StorageClass'] }),
    );
    expect(attributes).toMatchObject({
      ObjectSize: 7,
      StorageClass: 'STANDARD',
      ETag: createHash('md5').update('copy me').digest('hex'),
    });
  });

  it('serves presigned GET and PUT', async () => {
    const put = await getSignedUrl(
      s3,
      new PutObjectCommand({ Bucket, Key: 'pre', Metadata: { hoisted: 'into the query' } }),
      { expiresIn: 60 },
    );
    expect(await plainRequest(put, 'PUT', 'presigned')).toMatchObject({ status: 200 });
    expect((await s3.send(new HeadObjectCommand({ Bucket, Key: 'pre' }))).Metadata).toEqual({
      hoisted: 'into the query',
    });
    const get = await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: 'pre', ResponseContentType: 'text/z' }), {
      expiresIn: 60,
    });
    expect(await plainRequest(get, 'GET')).toMatchObject({ status: 200, text: 'presigned', type: 'text/z' });
    expect(await plainRequest(`${get}0`, 'GET')).toMatchObject({ status: 403 });
  });
});

type PutBody = string | Buffer | Readable;

interface PlainAnswer {
  readonly status: number;
  readonly text: string;
  readonly type: string | null;
}

/** Without any SDK: what a browser or curl would send. */
async function plainRequest(url: string, method: string, body?: string): Promise<PlainAnswer> {
  if (url.startsWith('http:')) {
    const response = await fetch(url, { method, ...(body !== undefined && { body }) });
    return { status: response.status, text: await response.text(), type: response.headers.get('content-type') };
  }
  return new Promise((resolve, reject) => {
    const request = https.request(url, { method, rejectUnauthorized: false }, (response) => {
      buffer(response).then((bytes) => {
        resolve({
          status: response.statusCode ?? 0,
          text: bytes.toString(),
          type: response.headers['content-type'] ?? null,
        });
      }, reject);
    });
    request.on('error', reject).end(body);
  });
}
