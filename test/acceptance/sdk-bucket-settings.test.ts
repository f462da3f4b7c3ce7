import {
  DeleteBucketCorsCommand,
  DeleteBucketPolicyCommand,
  GetBucketCorsCommand,
  GetBucketEncryptionCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketLocationCommand,
  GetBucketPolicyCommand,
  GetBucketRequestPaymentCommand,
  GetBucketVersioningCommand,
  GetObjectLockConfigurationCommand,
  GetPublicAccessBlockCommand,
  HeadBucketCommand,
  PutBucketPolicyCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client, newBucket } from './support/client.ts';

describe('bucket settings that cannot be made yet', () => {
  const s3 = client('http');
  let Bucket: string;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    ({ name: Bucket, remove } = await newBucket(s3));
  });
  afterAll(async () => {
    await remove();
  });

  it('read as S3 answers for a bucket on which they were never made', async () => {
    expect((await s3.send(new GetBucketVersioningCommand({ Bucket }))).Status).toBeUndefined();
    expect((await s3.send(new GetBucketLocationCommand({ Bucket }))).LocationConstraint).toBeUndefined();
    expect((await s3.send(new HeadBucketCommand({ Bucket }))).BucketRegion).toBe('us-east-1');
    expect((await s3.send(new GetBucketRequestPaymentCommand({ Bucket }))).Payer).toBe('BucketOwner');
    const { ServerSideEncryptionConfiguration: encryption } = await s3.send(new GetBucketEncryptionCommand({ Bucket }));
    expect(encryption?.Rules).toMatchObject([{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' }, BucketKeyEnabled: false }]);
  });

  it.each([
    ['policy', () => s3.send(new GetBucketPolicyCommand({ Bucket })), 'NoSuchBucketPolicy'],
    ['CORS', () => s3.send(new GetBucketCorsCommand({ Bucket })), 'NoSuchCORSConfiguration'],
    ['lifecycle', () => s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket })), 'NoSuchLifecycleConfiguration'],
    ['object lock', () => s3.send(new GetObjectLockConfigurationCommand({ Bucket })), 'ObjectLockConfigurationNotFoundError'],
    ['public access block', () => s3.send(new GetPublicAccessBlockCommand({ Bucket })), 'NoSuchPublicAccessBlockConfiguration'],
  ])('%s: none', async (_, send, name) => {
    await expect(send()).rejects.toMatchObject({ name, $metadata: { httpStatusCode: 404 } });
  });

  it('are deleted without effect, refused when made, and belong to the owner alone', async () => {
    await s3.send(new DeleteBucketPolicyCommand({ Bucket }));
    await s3.send(new DeleteBucketCorsCommand({ Bucket }));
    await expect(s3.send(new PutBucketPolicyCommand({ Bucket, Policy: '{}' }))).rejects.toMatchObject({ name: 'NotImplemented' });
    const stranger = client('http', { account: 'alt' });
    await expect(stranger.send(new GetBucketVersioningCommand({ Bucket }))).rejects.toMatchObject({ name: 'AccessDenied' });
  });
});
