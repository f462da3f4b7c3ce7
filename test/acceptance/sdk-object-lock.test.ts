import { randomBytes } from 'node:crypto';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  GetObjectLegalHoldCommand,
  GetObjectRetentionCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  PutObjectCommand,
  PutObjectLegalHoldCommand,
  PutObjectLockConfigurationCommand,
  PutObjectRetentionCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { client } from './support/client.ts';

const UNTIL = new Date('2090-01-01T00:00:00Z');
const GOVERNED = { ObjectLockMode: 'GOVERNANCE', ObjectLockRetainUntilDate: UNTIL } as const;
const REFUSED = { name: 'AccessDenied', $metadata: { httpStatusCode: 403 } };

/** What one gateway locks, the other keeps. */
describe('object lock', () => {
  const [s3, twin] = [client('http'), client('https', { replica: 1 })];
  let Bucket: string;
  const Key = 'k';

  beforeEach(async () => {
    Bucket = `t-${randomBytes(6).toString('hex')}`;
    await s3.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }));
  });
  afterEach(async () => {
    const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }));
    for (const { Key: key, VersionId } of Versions) {
      const held = await s3.send(new HeadObjectCommand({ Bucket, Key: key, VersionId }));
      if (held.ObjectLockLegalHoldStatus === 'ON') {
        await s3.send(new PutObjectLegalHoldCommand({ Bucket, Key: key, VersionId, LegalHold: { Status: 'OFF' } }));
      }
    }
    const Objects = [...Versions, ...DeleteMarkers].map(({ Key: key, VersionId }) => ({ Key: key, VersionId }));
    const { Errors = [] } = await s3.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects }, BypassGovernanceRetention: true }),
    );
    expect(Errors).toEqual([]);
    await s3.send(new DeleteBucketCommand({ Bucket }));
  });

  it('is set with an object, told, and keeps its version from deletion', async () => {
    const { VersionId } = await s3.send(
      new PutObjectCommand({ Bucket, Key, Body: 'kept', ...GOVERNED, ObjectLockLegalHoldStatus: 'ON' }),
    );
    expect(await twin.send(new HeadObjectCommand({ Bucket, Key }))).toMatchObject({
      ...GOVERNED,
      ObjectLockLegalHoldStatus: 'ON',
    });
    const bypassing = new DeleteObjectCommand({ Bucket, Key, VersionId, BypassGovernanceRetention: true });
    await expect(twin.send(bypassing)).rejects.toMatchObject(REFUSED);
    await s3.send(new PutObjectLegalHoldCommand({ Bucket, Key, VersionId, LegalHold: { Status: 'OFF' } }));
    await expect(twin.send(new DeleteObjectCommand({ Bucket, Key, VersionId }))).rejects.toMatchObject(REFUSED);
    await s3.send(new DeleteObjectCommand({ Bucket, Key }));
    expect(await (await twin.send(new GetObjectCommand({ Bucket, Key, VersionId }))).Body?.transformToString()).toBe(
      'kept',
    );
    await twin.send(bypassing);
    await expect(s3.send(new GetObjectCommand({ Bucket, Key, VersionId }))).rejects.toMatchObject({
      name: 'NoSuchVersion',
    });
  });

  it('is set and changed later', async () => {
    const { VersionId } = await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
    await expect(twin.send(new GetObjectRetentionCommand({ Bucket, Key }))).rejects.toMatchObject({
      name: 'NoSuchObjectLockConfiguration',
    });
    const retain = (year: number, BypassGovernanceRetention?: boolean): Promise<unknown> => {
      const Retention = { Mode: 'GOVERNANCE', RetainUntilDate: new Date(`${String(year)}-01-01T00:00:00Z`) } as const;
      return twin.send(new PutObjectRetentionCommand({ Bucket, Key, VersionId, Retention, BypassGovernanceRetention }));
    };
    await retain(2080);
    await retain(2090);
    expect((await s3.send(new GetObjectRetentionCommand({ Bucket, Key }))).Retention).toEqual({
      Mode: 'GOVERNANCE',
      RetainUntilDate: UNTIL,
    });
    await expect(retain(2080)).rejects.toMatchObject(REFUSED);
    await retain(2080, true);
    await s3.send(new PutObjectLegalHoldCommand({ Bucket, Key, LegalHold: { Status: 'ON' } }));
    expect((await twin.send(new GetObjectLegalHoldCommand({ Bucket, Key, VersionId }))).LegalHold).toEqual({
      Status: 'ON',
    });
  });

  it("comes from the default of the bucket, at once on every gateway; a copy has that and not its source's", async () => {
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x', ...GOVERNED }));
    const Rule = { DefaultRetention: { Mode: 'GOVERNANCE', Days: 2 } } as const;
    await s3.send(
      new PutObjectLockConfigurationCommand({
        Bucket,
        ObjectLockConfiguration: { ObjectLockEnabled: 'Enabled', Rule },
      }),
    );
    await twin.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/${Key}` }));
    const { ObjectLockMode, ObjectLockRetainUntilDate: until } = await s3.send(
      new HeadObjectCommand({ Bucket, Key: 'copy' }),
    );
    expect(ObjectLockMode).toBe('GOVERNANCE');
    expect(Math.abs((until?.getTime() ?? 0) - Date.now() - 2 * 24 * 60 * 60 * 1000)).toBeLessThan(60_000);
  });

  it('of an upload in parts is that of its initiation', async () => {
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ...GOVERNED }));
    const { ETag } = await twin.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'part' }));
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
    const { VersionId } = await twin.send(
      new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }),
    );
    expect(await s3.send(new HeadObjectCommand({ Bucket, Key, VersionId }))).toMatchObject(GOVERNED);
    const { Errors } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key, VersionId }] } }));
    expect(Errors).toMatchObject([{ Key, VersionId, Code: 'AccessDenied' }]);
  });
});
