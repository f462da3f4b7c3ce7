import {
  CopyObjectCommand,
  CreateBucketCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  RestoreObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BlobStore } from '../../src/store/blob-store.ts';
import { SYSTEM_TIME } from '../../src/manifest/records/time.ts';
import { type Cloud, startCloud } from '../support/backends/clouds.ts';
import { sdkClient } from '../support/clients/sdk-client.ts';
import { type TestGateway, startGatewayOver } from '../support/gateway/gateway.ts';

const DAY_MS = 86_400_000;
const Bucket = 'archive';
const Key = 'tape';
const refused = { name: 'InvalidObjectState', StorageClass: 'GLACIER', $metadata: { httpStatusCode: 403 } };

describe.each(['Azurite', 'the double of Cloud Storage'])(
  'an archived object over %s, as a program uses it',
  (name) => {
    const tiers = { rehydrationMs: 60_000 };
    let later = 0;
    let cloud: Cloud;
    let gateway: TestGateway<BlobStore>;
    let s3: S3Client;

    beforeAll(async () => {
      cloud = await startCloud(name, { tiers });
      const time = { ...SYSTEM_TIME, now: () => Date.now() + later };
      gateway = await startGatewayOver(cloud.open(), { storageClasses: { tiers: {}, buckets: [] }, time });
      s3 = sdkClient(gateway.port);
      await s3.send(new CreateBucketCommand({ Bucket }));
    });
    afterAll(async () => {
      s3.destroy();
      await gateway.close();
      await cloud.stop();
    });

    const state = async (): Promise<string | undefined> =>
      (await s3.send(new HeadObjectCommand({ Bucket, Key }))).Restore;
    const download = async (): Promise<string | undefined> => {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
      return Body?.transformToString();
    };
    const restore = async (Days: number): Promise<number | undefined> => {
      const RestoreRequest = { Days, GlacierJobParameters: { Tier: 'Expedited' as const } };
      const { $metadata } = await s3.send(new RestoreObjectCommand({ Bucket, Key, RestoreRequest }));
      return $metadata.httpStatusCode;
    };

    test('upload, refused reads, restore, download, expiry, and back for good', async () => {
      await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'bytes', StorageClass: 'GLACIER' }));
      await expect(download()).rejects.toMatchObject(refused);
      const copy = new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/${Key}` });
      await expect(s3.send(copy)).rejects.toMatchObject(refused);
      expect(await state()).toBeUndefined();

      tiers.rehydrationMs = 1500;
      expect(await restore(2)).toBe(202);
      if (name === 'Azurite') {
        expect(await state()).toBe('ongoing-request="true"');
        await expect(restore(2)).rejects.toMatchObject({ name: 'RestoreAlreadyInProgress' });
        await expect(download()).rejects.toMatchObject(refused);
      }
      await expect.poll(state, { timeout: 20_000, interval: 200 }).toMatch(/^ongoing-request="false", expiry-date=/);
      expect(await download()).toBe('bytes');
      const { Contents } = await s3.send(
        new ListObjectsV2Command({ Bucket, OptionalObjectAttributes: ['RestoreStatus'] }),
      );
      expect(Contents).toMatchObject([{ Key, StorageClass: 'GLACIER', RestoreStatus: { IsRestoreInProgress: false } }]);

      later = 4 * DAY_MS;
      await expect(download()).rejects.toMatchObject(refused);
      expect(await state()).toBeUndefined();

      tiers.rehydrationMs = 0;
      expect(await restore(1)).toBe(202);
      expect(await restore(3)).toBe(200);
      await s3.send(new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/${Key}`, StorageClass: 'STANDARD' }));
      later = 40 * DAY_MS;
      expect(await download()).toBe('bytes');
      expect((await s3.send(new HeadObjectCommand({ Bucket, Key }))).StorageClass).toBeUndefined();
    });
  },
);
