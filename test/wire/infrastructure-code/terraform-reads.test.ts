import {
  GetBucketAccelerateConfigurationCommand,
  GetBucketAclCommand,
  GetBucketAnalyticsConfigurationCommand,
  GetBucketCorsCommand,
  GetBucketEncryptionCommand,
  GetBucketIntelligentTieringConfigurationCommand,
  GetBucketInventoryConfigurationCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketLocationCommand,
  GetBucketLoggingCommand,
  GetBucketMetricsConfigurationCommand,
  GetBucketNotificationConfigurationCommand,
  GetBucketOwnershipControlsCommand,
  GetBucketPolicyCommand,
  GetBucketPolicyStatusCommand,
  GetBucketReplicationCommand,
  GetBucketRequestPaymentCommand,
  GetBucketTaggingCommand,
  GetBucketVersioningCommand,
  GetBucketWebsiteCommand,
  GetObjectLockConfigurationCommand,
  GetPublicAccessBlockCommand,
  HeadBucketCommand,
} from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { REGION } from '../../support/clients/sign-raw.ts';
import { outcomeOf } from './companions.ts';
import * as scene from './scene.ts';
import { bucket } from './scene.ts';
import { client, openSdkScene } from './sdk-scene.ts';

/**
 * What the resources `aws_s3_bucket` and `aws_s3_bucket_*` of Terraform's provider read, and what they take for "never
 * set": the error codes of internal/service/s3/errors.go, and answers that flatten to nothing. Anything else makes an
 * error of the plan, or a difference.
 */
type Question = new (input: { Bucket: string; Id: string }) => object;

const NEVER_SET: Readonly<Record<string, readonly [Question, string | Readonly<Record<string, unknown>>]>> = {
  HeadBucket: [HeadBucketCommand, { BucketRegion: REGION, BucketArn: expect.any(String), AccessPointAlias: false }],
  GetBucketLocation: [GetBucketLocationCommand, {}],
  GetBucketPolicy: [GetBucketPolicyCommand, 'NoSuchBucketPolicy'],
  GetBucketPolicyStatus: [GetBucketPolicyStatusCommand, 'NoSuchBucketPolicy'],
  GetBucketCors: [GetBucketCorsCommand, 'NoSuchCORSConfiguration'],
  GetBucketWebsite: [GetBucketWebsiteCommand, 'NoSuchWebsiteConfiguration'],
  GetBucketVersioning: [GetBucketVersioningCommand, {}],
  GetBucketAccelerateConfiguration: [GetBucketAccelerateConfigurationCommand, {}],
  GetBucketRequestPayment: [GetBucketRequestPaymentCommand, { Payer: 'BucketOwner' }],
  GetBucketLogging: [GetBucketLoggingCommand, {}],
  GetBucketLifecycleConfiguration: [GetBucketLifecycleConfigurationCommand, 'NoSuchLifecycleConfiguration'],
  GetBucketReplication: [GetBucketReplicationCommand, 'ReplicationConfigurationNotFoundError'],
  GetBucketEncryption: [
    GetBucketEncryptionCommand,
    {
      ServerSideEncryptionConfiguration: {
        Rules: [{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' }, BucketKeyEnabled: false }],
      },
    },
  ],
  GetObjectLockConfiguration: [GetObjectLockConfigurationCommand, 'ObjectLockConfigurationNotFoundError'],
  GetBucketTagging: [GetBucketTaggingCommand, 'NoSuchTagSet'],
  GetBucketOwnershipControls: [GetBucketOwnershipControlsCommand, 'OwnershipControlsNotFoundError'],
  GetPublicAccessBlock: [GetPublicAccessBlockCommand, 'NoSuchPublicAccessBlockConfiguration'],
  GetBucketNotificationConfiguration: [GetBucketNotificationConfigurationCommand, {}],
  GetBucketAnalyticsConfiguration: [GetBucketAnalyticsConfigurationCommand, 'NoSuchConfiguration'],
  GetBucketIntelligentTieringConfiguration: [GetBucketIntelligentTieringConfigurationCommand, 'NoSuchConfiguration'],
  GetBucketInventoryConfiguration: [GetBucketInventoryConfigurationCommand, 'NoSuchConfiguration'],
  GetBucketMetricsConfiguration: [GetBucketMetricsConfigurationCommand, 'NoSuchConfiguration'],
};

/** What the owner hears. Some settings have names; all others ignore that of this one. */
function ask(Command: Question): Promise<unknown> {
  return outcomeOf(client.send(new Command({ Bucket: bucket, Id: 'x' }) as GetBucketPolicyCommand));
}

describe("what Terraform's provider reads of a bucket", () => {
  openSdkScene();

  async function change(method: string, setting: string, body = ''): Promise<void> {
    const answer = await scene.ask('owner', { method, target: `/${bucket}${setting}`, body });
    expect(answer.status, answer.body).toBeLessThan(300);
  }

  test.each(Object.entries(NEVER_SET))(
    '%s of a new bucket says that it was never set',
    async (_name, [Command, never]) => {
      expect(await ask(Command)).toEqual(never);
    },
  );

  test('GetBucketAcl of a new bucket: full control of its owner, and nothing else', async () => {
    const { Owner, Grants } = await client.send(new GetBucketAclCommand({ Bucket: bucket }));
    expect(Grants).toEqual([{ Grantee: { ...Owner, Type: 'CanonicalUser' }, Permission: 'FULL_CONTROL' }]);
  });

  test.each(Object.keys(NEVER_SET).filter((name) => name !== 'HeadBucket'))(
    '%s of a bucket that is gone: NoSuchBucket, upon which the resource is forgotten',
    async (name) => {
      await change('DELETE', '');
      expect(await ask((NEVER_SET[name] as readonly [Question, unknown])[0])).toBe('NoSuchBucket');
    },
  );

  test('HeadBucket of a bucket that is gone: 404', async () => {
    await change('DELETE', '');
    expect(await ask(HeadBucketCommand)).toBe('NotFound');
  });

  test.each([
    [
      'GetBucketPolicy',
      '?policy',
      '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::BUCKET/*"}]}',
    ],
    [
      'GetBucketCors',
      '?cors',
      '<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>*</AllowedOrigin></CORSRule></CORSConfiguration>',
    ],
    [
      'GetBucketWebsite',
      '?website',
      '<WebsiteConfiguration><IndexDocument><Suffix>index.html</Suffix></IndexDocument></WebsiteConfiguration>',
    ],
    ['GetBucketTagging', '?tagging', '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>'],
    [
      'GetBucketOwnershipControls',
      '?ownershipControls',
      '<OwnershipControls><Rule><ObjectOwnership>BucketOwnerEnforced</ObjectOwnership></Rule></OwnershipControls>',
    ],
    [
      'GetPublicAccessBlock',
      '?publicAccessBlock',
      '<PublicAccessBlockConfiguration><BlockPublicAcls>true</BlockPublicAcls></PublicAccessBlockConfiguration>',
    ],
  ])(
    '%s: what was put is read, the same again and again, and after its deletion never was',
    async (name, setting, document) => {
      const [Command, never] = NEVER_SET[name] as readonly [Question, string];
      await change('PUT', setting, document.replace('BUCKET', bucket));
      const first = await ask(Command);
      expect(first).not.toEqual(never);
      expect(first).toBeTypeOf('object');
      await change('PUT', setting, document.replace('BUCKET', bucket));
      expect(await ask(Command)).toEqual(first);
      await change('DELETE', setting);
      expect(await ask(Command)).toBe(never);
    },
  );
});
