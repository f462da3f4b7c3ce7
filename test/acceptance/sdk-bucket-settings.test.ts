import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteBucketCorsCommand,
  DeleteBucketOwnershipControlsCommand,
  DeleteBucketPolicyCommand,
  DeletePublicAccessBlockCommand,
  GetBucketAclCommand,
  GetBucketCorsCommand,
  GetBucketEncryptionCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketLocationCommand,
  GetBucketOwnershipControlsCommand,
  GetBucketPolicyCommand,
  GetBucketRequestPaymentCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  GetObjectLockConfigurationCommand,
  GetPublicAccessBlockCommand,
  HeadBucketCommand,
  PutBucketAclCommand,
  PutBucketOwnershipControlsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutObjectLockConfigurationCommand,
  PutPublicAccessBlockCommand,
} from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { client, newBucket } from './support/client.ts';

describe('bucket settings that were never made', () => {
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
    expect((await s3.send(new GetBucketLocationCommand({ Bucket }))).LocationConstraint).toBeUndefined();
    expect((await s3.send(new HeadBucketCommand({ Bucket }))).BucketRegion).toBe('us-east-1');
    expect((await s3.send(new GetBucketRequestPaymentCommand({ Bucket }))).Payer).toBe('BucketOwner');
    const { ServerSideEncryptionConfiguration: encryption } = await s3.send(new GetBucketEncryptionCommand({ Bucket }));
    expect(encryption?.Rules).toMatchObject([
      { ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' }, BucketKeyEnabled: false },
    ]);
  });

  it.each([
    ['policy', () => s3.send(new GetBucketPolicyCommand({ Bucket })), 'NoSuchBucketPolicy'],
    ['CORS', () => s3.send(new GetBucketCorsCommand({ Bucket })), 'NoSuchCORSConfiguration'],
    [
      'lifecycle',
      () => s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket })),
      'NoSuchLifecycleConfiguration',
    ],
  ])('%s: none', async (_, send, name) => {
    await expect(send()).rejects.toMatchObject({ name, $metadata: { httpStatusCode: 404 } });
  });

  it('are deleted without effect, refused when they are not built or wrong, and belong to the owner alone', async () => {
    await s3.send(new DeleteBucketPolicyCommand({ Bucket }));
    await s3.send(new DeleteBucketCorsCommand({ Bucket }));
    const move = { Days: 1, StorageClass: 'GLACIER' } as const;
    const lifecycle = new PutBucketLifecycleConfigurationCommand({
      Bucket,
      LifecycleConfiguration: { Rules: [{ Status: 'Enabled', Filter: { Prefix: '' }, Transitions: [move] }] },
    });
    await expect(s3.send(lifecycle)).rejects.toMatchObject({ name: 'NotImplemented' });
    const noPolicy = s3.send(new PutBucketPolicyCommand({ Bucket, Policy: '{}' }));
    await expect(noPolicy).rejects.toMatchObject({ name: 'MalformedPolicy' });
    const stranger = client('http', { account: 'alt' });
    await expect(stranger.send(new GetBucketEncryptionCommand({ Bucket }))).rejects.toMatchObject({
      name: 'AccessDenied',
    });
  });
});

/**
 * Each change is made through one gateway and looked at through the other at once: no answer may come before it is in
 * force.
 */
describe('bucket settings', () => {
  const [s3, twin] = [client('http'), client('https', { replica: 1 })];
  const stranger = client('http', { replica: 1, account: 'alt' });
  let Bucket: string;
  let remove: () => Promise<void>;

  beforeEach(async () => {
    ({ name: Bucket, remove } = await newBucket(s3));
    await twin.send(new GetBucketAclCommand({ Bucket })); // so that it remembers the bucket as it was
  });
  afterEach(async () => {
    await remove();
  });

  it('versioning', async () => {
    expect((await s3.send(new GetBucketVersioningCommand({ Bucket }))).Status).toBeUndefined();
    for (const Status of ['Enabled', 'Suspended'] as const) {
      await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }));
      expect((await twin.send(new GetBucketVersioningCommand({ Bucket }))).Status).toBe(Status);
    }
    await expect(
      s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: {} })),
    ).rejects.toMatchObject({ name: 'IllegalVersioningConfigurationException', $metadata: { httpStatusCode: 400 } });
  });

  it('object lock, with the bucket and later', async () => {
    const configuration = {
      ObjectLockEnabled: 'Enabled',
      Rule: { DefaultRetention: { Mode: 'GOVERNANCE', Days: 1 } },
    } as const;
    const put = (to: string): Promise<unknown> =>
      s3.send(new PutObjectLockConfigurationCommand({ Bucket: to, ObjectLockConfiguration: configuration }));
    await expect(twin.send(new GetObjectLockConfigurationCommand({ Bucket }))).rejects.toMatchObject({
      name: 'ObjectLockConfigurationNotFoundError',
    });
    await expect(put(Bucket)).rejects.toMatchObject({ name: 'InvalidBucketState', $metadata: { httpStatusCode: 409 } });
    await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }));
    await put(Bucket);
    expect((await twin.send(new GetObjectLockConfigurationCommand({ Bucket }))).ObjectLockConfiguration).toEqual(
      configuration,
    );

    const locked = `${Bucket}-locked`;
    await s3.send(new CreateBucketCommand({ Bucket: locked, ObjectLockEnabledForBucket: true }));
    expect((await twin.send(new GetBucketVersioningCommand({ Bucket: locked }))).Status).toBe('Enabled');
    expect(
      (await twin.send(new GetObjectLockConfigurationCommand({ Bucket: locked }))).ObjectLockConfiguration,
    ).toEqual({ ObjectLockEnabled: 'Enabled' });
    await s3.send(new DeleteBucketCommand({ Bucket: locked }));
  });

  it('ownership', async () => {
    await expect(twin.send(new GetBucketOwnershipControlsCommand({ Bucket }))).rejects.toMatchObject({
      name: 'OwnershipControlsNotFoundError',
    });
    const OwnershipControls = { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' as const }] };
    await s3.send(new PutBucketOwnershipControlsCommand({ Bucket, OwnershipControls }));
    await expect(
      twin.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x', ACL: 'public-read' })),
    ).rejects.toMatchObject({ name: 'AccessControlListNotSupported' });
    await expect(twin.send(new PutBucketAclCommand({ Bucket, ACL: 'private' }))).rejects.toMatchObject({
      name: 'AccessControlListNotSupported',
    });
    await twin.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x', ACL: 'bucket-owner-full-control' }));
    expect((await twin.send(new GetBucketOwnershipControlsCommand({ Bucket }))).OwnershipControls).toEqual(
      OwnershipControls,
    );
    await s3.send(new DeleteBucketOwnershipControlsCommand({ Bucket }));
    await expect(twin.send(new GetBucketOwnershipControlsCommand({ Bucket }))).rejects.toMatchObject({
      name: 'OwnershipControlsNotFoundError',
    });
  });

  it('public access block', async () => {
    await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x', ACL: 'public-read' }));
    await (await stranger.send(new GetObjectCommand({ Bucket, Key: 'k' }))).Body?.transformToByteArray();
    const PublicAccessBlockConfiguration = {
      BlockPublicAcls: true,
      IgnorePublicAcls: true,
      BlockPublicPolicy: false,
      RestrictPublicBuckets: false,
    };
    await s3.send(new PutPublicAccessBlockCommand({ Bucket, PublicAccessBlockConfiguration }));
    await expect(stranger.send(new GetObjectCommand({ Bucket, Key: 'k' }))).rejects.toMatchObject({
      name: 'AccessDenied',
    });
    await expect(
      twin.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x', ACL: 'public-read' })),
    ).rejects.toMatchObject({ name: 'AccessDenied' });
    expect((await twin.send(new GetPublicAccessBlockCommand({ Bucket }))).PublicAccessBlockConfiguration).toEqual(
      PublicAccessBlockConfiguration,
    );
    await s3.send(new DeletePublicAccessBlockCommand({ Bucket }));
    await expect(twin.send(new GetPublicAccessBlockCommand({ Bucket }))).rejects.toMatchObject({
      name: 'NoSuchPublicAccessBlockConfiguration',
    });
  });
});
