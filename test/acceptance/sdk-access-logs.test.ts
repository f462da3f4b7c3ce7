import {
  DeleteObjectCommand,
  GetBucketLoggingCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutBucketLoggingCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { client, newBucket } from './support/client.ts';

describe('the server access log of a bucket', () => {
  const s3 = client('http');
  /** Another replica. */
  const other = client('http', { replica: inject('testbed').endpoints.length - 1 });
  let bucket: Awaited<ReturnType<typeof newBucket>>;
  let logs: Awaited<ReturnType<typeof newBucket>>;

  beforeAll(async () => {
    bucket = await newBucket(s3);
    logs = await newBucket(s3);
  });
  afterAll(async () => {
    await s3.send(new PutBucketLoggingCommand({ Bucket: bucket.name, BucketLoggingStatus: {} }));
    await bucket.remove();
    // Log objects may still come.
    await vi.waitFor(() => logs.remove(), { timeout: 20_000, interval: 300 });
  });

  async function records(): Promise<string[]> {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: logs.name }));
    const texts = await Promise.all(
      Contents.map(async ({ Key }) => {
        const { Body } = await s3.send(new GetObjectCommand({ Bucket: logs.name, Key }));
        return (await Body?.transformToString()) ?? '';
      }),
    );
    return texts.flatMap((text) => text.trimEnd().split('\n'));
  }

  it('is set, read again, and written to its target by every replica', async () => {
    const Policy = JSON.stringify({
      Version: '2012-10-17',
      Statement: {
        Effect: 'Allow',
        Principal: { Service: 'logging.s3.amazonaws.com' },
        Action: 's3:PutObject',
        Resource: `arn:aws:s3:::${logs.name}/*`,
        Condition: { ArnLike: { 'aws:SourceArn': `arn:aws:s3:::${bucket.name}` } },
      },
    });
    await s3.send(new PutBucketPolicyCommand({ Bucket: logs.name, Policy }));
    const LoggingEnabled = {
      TargetBucket: logs.name,
      TargetPrefix: 'a/',
      TargetObjectKeyFormat: { PartitionedPrefix: { PartitionDateSource: 'EventTime' } },
    } as const;
    await s3.send(new PutBucketLoggingCommand({ Bucket: bucket.name, BucketLoggingStatus: { LoggingEnabled } }));
    expect((await other.send(new GetBucketLoggingCommand({ Bucket: bucket.name }))).LoggingEnabled).toEqual(
      LoggingEnabled,
    );

    const Key = 'seen by all.txt';
    // The other replica may go by the old setting for a moment.
    const seen = async (): Promise<string> => {
      await s3.send(new PutObjectCommand({ Bucket: bucket.name, Key, Body: 'hello' }));
      await other.send(new DeleteObjectCommand({ Bucket: bucket.name, Key }));
      const all = await records();
      expect(all.every((record) => record.split(' ')[1] === bucket.name)).toBe(true);
      return ['PUT', 'DELETE'].filter((method) => all.some((record) => record.includes(of(method)))).join(' ');
    };
    const of = (method: string): string => ` REST.${method}.OBJECT seen%20by%20all.txt "${method} /`;
    await expect.poll(seen, { timeout: 20_000, interval: 300 }).toBe('PUT DELETE');
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: logs.name }));
    const day = new RegExp(
      `^a/\\d{12}/us-east-1/${bucket.name}/\\d{4}/\\d\\d/\\d\\d/\\d{4}-\\d\\d-\\d\\d-00-00-00-[0-9A-F]{16}$`,
    );
    for (const { Key: name } of Contents) expect(name).toMatch(day);
  });

  it('needs a target that is there', async () => {
    const LoggingEnabled = { TargetBucket: `${logs.name}-none`, TargetPrefix: '' };
    const put = new PutBucketLoggingCommand({ Bucket: bucket.name, BucketLoggingStatus: { LoggingEnabled } });
    await expect(s3.send(put)).rejects.toMatchObject({
      name: 'InvalidTargetBucketForLogging',
      $metadata: { httpStatusCode: 400 },
    });
  });
});
