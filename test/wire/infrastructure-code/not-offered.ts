import {
  GetBucketAccelerateConfigurationCommand,
  GetBucketAnalyticsConfigurationCommand,
  GetBucketEncryptionCommand,
  GetBucketIntelligentTieringConfigurationCommand,
  GetBucketInventoryConfigurationCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketMetricsConfigurationCommand,
  GetBucketNotificationConfigurationCommand,
  GetBucketReplicationCommand,
  GetBucketRequestPaymentCommand,
  PutBucketAccelerateConfigurationCommand,
  PutBucketAnalyticsConfigurationCommand,
  PutBucketEncryptionCommand,
  PutBucketIntelligentTieringConfigurationCommand,
  PutBucketInventoryConfigurationCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketMetricsConfigurationCommand,
  PutBucketNotificationConfigurationCommand,
  PutBucketReplicationCommand,
  PutBucketRequestPaymentCommand,
  PutBucketVersioningCommand,
  type S3Client,
} from '@aws-sdk/client-s3';

interface NotOffered {
  readonly name: string;
  readonly put: (client: S3Client, Bucket: string) => Promise<object>;
  readonly read: (client: S3Client, Bucket: string) => Promise<object>;
}

const RULE = { ID: 'a', Status: 'Enabled', Filter: { Prefix: 'x/' } } as const;
const TRANSITION = { Days: 30, StorageClass: 'GLACIER' } as const;
const REPLICATION = {
  Role: 'arn:aws:iam::111111111111:role/r',
  Rules: [{ Status: 'Enabled', Prefix: '', Destination: { Bucket: 'arn:aws:s3:::other' } }],
} as const;
const KMS = { ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: 'none' } } as const;
const INVENTORY = {
  Id: 'x',
  IsEnabled: true,
  IncludedObjectVersions: 'All',
  Schedule: { Frequency: 'Daily' },
  Destination: { S3BucketDestination: { Bucket: 'arn:aws:s3:::other', Format: 'ORC' } },
} as const;
const ANALYTICS = { Id: 'x', StorageClassAnalysis: {} };
const TIERING = { Id: 'x', Status: 'Enabled', Tierings: [{ Days: 180, AccessTier: 'DEEP_ARCHIVE_ACCESS' }] } as const;

/** Resources of a provider that this service does not have, as the provider creates them. */
export const NOT_OFFERED: readonly NotOffered[] = [
  {
    name: 'lifecycle with transitions',
    put: (client, Bucket) =>
      client.send(
        new PutBucketLifecycleConfigurationCommand({
          Bucket,
          LifecycleConfiguration: { Rules: [{ ...RULE, Transitions: [TRANSITION] }] },
        }),
      ),
    read: (client, Bucket) => client.send(new GetBucketLifecycleConfigurationCommand({ Bucket })),
  },
  {
    name: 'notification',
    put: (client, Bucket) =>
      client.send(
        new PutBucketNotificationConfigurationCommand({
          Bucket,
          NotificationConfiguration: { EventBridgeConfiguration: {} },
        }),
      ),
    read: (client, Bucket) => client.send(new GetBucketNotificationConfigurationCommand({ Bucket })),
  },
  {
    name: 'acceleration',
    put: (client, Bucket) =>
      client.send(
        new PutBucketAccelerateConfigurationCommand({ Bucket, AccelerateConfiguration: { Status: 'Enabled' } }),
      ),
    read: (client, Bucket) => client.send(new GetBucketAccelerateConfigurationCommand({ Bucket })),
  },
  {
    name: 'payment by the requester',
    put: (client, Bucket) =>
      client.send(new PutBucketRequestPaymentCommand({ Bucket, RequestPaymentConfiguration: { Payer: 'Requester' } })),
    read: (client, Bucket) => client.send(new GetBucketRequestPaymentCommand({ Bucket })),
  },
  {
    name: 'replication',
    put: async (client, Bucket) => {
      await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }));
      const ReplicationConfiguration = { ...REPLICATION, Rules: [...REPLICATION.Rules] };
      return client.send(new PutBucketReplicationCommand({ Bucket, ReplicationConfiguration }));
    },
    read: (client, Bucket) => client.send(new GetBucketReplicationCommand({ Bucket })),
  },
  {
    name: 'encryption by a key of a KMS',
    put: (client, Bucket) =>
      client.send(
        new PutBucketEncryptionCommand({ Bucket, ServerSideEncryptionConfiguration: { Rules: [{ ...KMS }] } }),
      ),
    read: (client, Bucket) => client.send(new GetBucketEncryptionCommand({ Bucket })),
  },
  {
    name: 'metrics',
    put: (client, Bucket) =>
      client.send(new PutBucketMetricsConfigurationCommand({ Bucket, Id: 'x', MetricsConfiguration: { Id: 'x' } })),
    read: (client, Bucket) => client.send(new GetBucketMetricsConfigurationCommand({ Bucket, Id: 'x' })),
  },
  {
    name: 'analytics',
    put: (client, Bucket) =>
      client.send(new PutBucketAnalyticsConfigurationCommand({ Bucket, Id: 'x', AnalyticsConfiguration: ANALYTICS })),
    read: (client, Bucket) => client.send(new GetBucketAnalyticsConfigurationCommand({ Bucket, Id: 'x' })),
  },
  {
    name: 'inventory',
    put: (client, Bucket) =>
      client.send(new PutBucketInventoryConfigurationCommand({ Bucket, Id: 'x', InventoryConfiguration: INVENTORY })),
    read: (client, Bucket) => client.send(new GetBucketInventoryConfigurationCommand({ Bucket, Id: 'x' })),
  },
  {
    name: 'intelligent tiering',
    put: (client, Bucket) =>
      client.send(
        new PutBucketIntelligentTieringConfigurationCommand({
          Bucket,
          Id: 'x',
          IntelligentTieringConfiguration: { ...TIERING, Tierings: [...TIERING.Tierings] },
        }),
      ),
    read: (client, Bucket) => client.send(new GetBucketIntelligentTieringConfigurationCommand({ Bucket, Id: 'x' })),
  },
];
