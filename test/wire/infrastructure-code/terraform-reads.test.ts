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
  type S3Client,
} from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { REGION } from '../../support/sign-raw.ts';
import * as scene from './scene.ts';
import { bucket } from './scene.ts';
import { client, openSdkScene } from './sdk-scene.ts';

/**
 * What the resources `aws_s3_bucket` and `aws_s3_bucket_*` of Terraform's provider read, and what they take for "never
 * set": the error codes of internal/service/s3/errors.go, and answers that flatten to nothing. Anything else makes an
 * error of the plan, or a difference.
 */
type Read = (client: S3Client, Bucket: string) => Promise<object>;

const NEVER_SET: Readonly<Record<string, readonly [Read, string | Readonly<Record<string, unknown>>]>> = {
  HeadBucket: [(client, Bucket) => client.send(new HeadBucketCommand({ Bucket })), { BucketRegion: REGION }],
  GetBucketLocation: [(client, Bucket) => client.send(new GetBucketLocationCommand({ Bucket })), {}],
  GetBucketPolicy: [(client, Bucket) => client.send(new GetBucketPolicyCommand({ Bucket })), 'NoSuchBucketPolicy'],
  GetBucketPolicyStatus: [
    (client, Bucket) => client.send(new GetBucketPolicyStatusCommand({ Bucket })),
    'NoSuchBucketPolicy',
  ],
  GetBucketCors: [(client, Bucket) => client.send(new GetBucketCorsCommand({ Bucket })), 'NoSuchCORSConfiguration'],
  GetBucketWebsite: [
    (client, Bucket) => client.send(new GetBucketWebsiteCommand({ Bucket })),
    'NoSuchWebsiteConfiguration',
  ],
  GetBucketVersioning: [(client, Bucket) => client.send(new GetBucketVersioningCommand({ Bucket })), {}],
  GetBucketAccelerateConfiguration: [
    (client, Bucket) => client.send(new GetBucketAccelerateConfigurationCommand({ Bucket })),
    {},
  ],
  GetBucketRequestPayment: [
    (client, Bucket) => client.send(new GetBucketRequestPaymentCommand({ Bucket })),
    { Payer: 'BucketOwner' },
  ],
  GetBucketLogging: [(client, Bucket) => client.send(new GetBucketLoggingCommand({ Bucket })), {}],
  GetBucketLifecycleConfiguration: [
    (client, Bucket) => client.send(new GetBucketLifecycleConfigurationCommand({ Bucket })),
    'NoSuchLifecycleConfiguration',
  ],
  GetBucketReplication: [
    (client, Bucket) => client.send(new GetBucketReplicationCommand({ Bucket })),
    'ReplicationConfigurationNotFoundError',
  ],
  GetBucketEncryption: [
    (client, Bucket) => client.send(new GetBucketEncryptionCommand({ Bucket })),
    {
      ServerSideEncryptionConfiguration: {
        Rules: [{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' }, BucketKeyEnabled: false }],
      },
    },
  ],
  GetObjectLockConfiguration: [
    (client, Bucket) => client.send(new GetObjectLockConfigurationCommand({ Bucket })),
    'ObjectLockConfigurationNotFoundError',
  ],
  GetBucketTagging: [(client, Bucket) => client.send(new GetBucketTaggingCommand({ Bucket })), 'NoSuchTagSet'],
  GetBucketOwnershipControls: [
    (client, Bucket) => client.send(new GetBucketOwnershipControlsCommand({ Bucket })),
    'OwnershipControlsNotFoundError',
  ],
  GetPublicAccessBlock: [
    (client, Bucket) => client.send(new GetPublicAccessBlockCommand({ Bucket })),
    'NoSuchPublicAccessBlockConfiguration',
  ],
  GetBucketNotificationConfiguration: [
    (client, Bucket) => client.send(new GetBucketNotificationConfigurationCommand({ Bucket })),
    {},
  ],
  GetBucketAnalyticsConfiguration: [
    (client, Bucket) => client.send(new GetBucketAnalyticsConfigurationCommand({ Bucket, Id: 'x' })),
    'NoSuchConfiguration',
  ],
  GetBucketIntelligentTieringConfiguration: [
    (client, Bucket) => client.send(new GetBucketIntelligentTieringConfigurationCommand({ Bucket, Id: 'x' })),
    'NoSuchConfiguration',
  ],
  GetBucketInventoryConfiguration: [
    (client, Bucket) => client.send(new GetBucketInventoryConfigurationCommand({ Bucket, Id: 'x' })),
    'NoSuchConfiguration',
  ],
  GetBucketMetricsConfiguration: [
    (client, Bucket) => client.send(new GetBucketMetricsConfigurationCommand({ Bucket, Id: 'x' })),
    'NoSuchConfiguration',
  ],
};

/** Without what the SDK adds, and what HeadBucket says beside the region. */
function told(answer: object): object {
  const {
    $metadata: _metadata,
    BucketArn: _arn,
    AccessPointAlias: _alias,
    ...rest
  } = answer as Record<string, unknown>;
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
}

async function outcomeOf(read: Promise<object>): Promise<unknown> {
  try {
    return told(await read);
  } catch (error) {
    return error instanceof Error ? error.name : error;
  }
}

describe("what Terraform's provider reads of a bucket", () => {
  openSdkScene();

  async function ask(method: string, setting: string, body = ''): Promise<void> {
    const answer = await scene.ask('owner', { method, target: `/${bucket}${setting}`, body });
    expect(answer.status, answer.body).toBeLessThan(300);
  }

  test.each(Object.entries(NEVER_SET))(
    '%s of a new bucket says that it was never set',
    async (_name, [read, never]) => {
      expect(await outcomeOf(read(client, bucket))).toEqual(never);
    },
  );

  test('GetBucketAcl of a new bucket: full control of its owner, and nothing else', async () => {
    const { Owner, Grants } = await client.send(new GetBucketAclCommand({ Bucket: bucket }));
    expect(Grants).toEqual([{ Grantee: { ...Owner, Type: 'CanonicalUser' }, Permission: 'FULL_CONTROL' }]);
  });

  test.each(Object.keys(NEVER_SET).filter((name) => name !== 'HeadBucket'))(
    '%s of a bucket that is gone: NoSuchBucket, upon which the resource is forgotten',
    async (name) => {
      await ask('DELETE', '');
      expect(await outcomeOf((NEVER_SET[name] as readonly [Read, unknown])[0](client, bucket))).toBe('NoSuchBucket');
    },
  );

  test('HeadBucket of a bucket that is gone: 404', async () => {
    await ask('DELETE', '');
    expect(await outcomeOf(client.send(new HeadBucketCommand({ Bucket: bucket })))).toBe('NotFound');
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
      const [read, never] = NEVER_SET[name] as readonly [Read, string];
      await ask('PUT', setting, document.replace('BUCKET', bucket));
      const first = await outcomeOf(read(client, bucket));
      expect(first).not.toEqual(never);
      expect(first).toBeTypeOf('object');
      await ask('PUT', setting, document.replace('BUCKET', bucket));
      expect(await outcomeOf(read(client, bucket))).toEqual(first);
      await ask('DELETE', setting);
      expect(await outcomeOf(read(client, bucket))).toBe(never);
    },
  );
});
