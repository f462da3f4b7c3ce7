import {
  DeleteBucketCorsCommand,
  DeleteBucketLifecycleCommand,
  DeleteBucketEncryptionCommand,
  DeleteBucketOwnershipControlsCommand,
  DeleteBucketPolicyCommand,
  DeleteBucketTaggingCommand,
  DeleteBucketWebsiteCommand,
  DeletePublicAccessBlockCommand,
  GetBucketAccelerateConfigurationCommand,
  GetBucketAclCommand,
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketEncryptionCommand,
  GetBucketLoggingCommand,
  GetBucketNotificationConfigurationCommand,
  GetBucketOwnershipControlsCommand,
  GetBucketPolicyCommand,
  GetBucketRequestPaymentCommand,
  GetBucketTaggingCommand,
  GetBucketVersioningCommand,
  GetBucketWebsiteCommand,
  GetObjectLockConfigurationCommand,
  GetPublicAccessBlockCommand,
  PutBucketAccelerateConfigurationCommand,
  PutBucketAclCommand,
  type LifecycleRule,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketEncryptionCommand,
  PutBucketLoggingCommand,
  PutBucketNotificationConfigurationCommand,
  PutBucketOwnershipControlsCommand,
  PutBucketPolicyCommand,
  PutBucketRequestPaymentCommand,
  PutBucketTaggingCommand,
  PutBucketVersioningCommand,
  PutBucketWebsiteCommand,
  PutObjectLockConfigurationCommand,
  PutPublicAccessBlockCommand,
  type BucketLoggingStatus,
  type CORSRule,
  type ObjectLockConfiguration,
  type OwnershipControlsRule,
  type PublicAccessBlockConfiguration,
  type S3Client,
  type ServerSideEncryptionRule,
  type Tag,
  type VersioningConfiguration,
  type WebsiteConfiguration,
} from '@aws-sdk/client-s3';

type OfBucket<Answer> = (client: S3Client, bucket: string) => Promise<Answer>;

/** A setting of a bucket as a tool of infrastructure keeps it: it puts states, and wants to read what it put. */
export interface Companion {
  readonly name: string;
  /** What the bucket has to be before. */
  readonly before: OfBucket<unknown> | undefined;
  readonly read: OfBucket<object>;
  readonly states: readonly { readonly put: OfBucket<unknown>; readonly observed: object }[];
  readonly remove: OfBucket<unknown> | undefined;
}

interface Shape<State extends object> {
  readonly states: readonly State[];
  readonly put: (client: S3Client, bucket: string, state: State) => Promise<unknown>;
  readonly read: OfBucket<object>;
  /** The whole answer, less what is undefined. */
  readonly observed: (state: State) => object;
  readonly remove?: OfBucket<unknown>;
  readonly before?: OfBucket<unknown>;
}

function companion<State extends object>(name: string, shape: Shape<State>): Companion {
  const { states, put, read, observed, remove, before } = shape;
  return {
    name,
    before,
    read,
    remove,
    states: states.map((state) => ({
      put: (client, bucket) => put(client, bucket, state),
      observed: observed(state),
    })),
  };
}

/** The answer without what the SDK adds and without what is absent; an error by its name. */
export async function outcomeOf(answer: Promise<object>): Promise<unknown> {
  try {
    const { $metadata: _metadata, ...told } = (await answer) as Record<string, unknown>;
    return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
  } catch (error) {
    return error instanceof Error ? error.name : error;
  }
}

const enableVersioning: OfBucket<unknown> = (client, Bucket) =>
  client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }));

const versioning = companion<VersioningConfiguration>('versioning', {
  states: [{ Status: 'Enabled' }, { Status: 'Suspended' }, { Status: 'Enabled' }],
  put: (client, Bucket, VersioningConfiguration) =>
    client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration })),
  read: (client, Bucket) => client.send(new GetBucketVersioningCommand({ Bucket })),
  observed: (state) => state,
});

const cors = companion<{ readonly rules: CORSRule[] }>('cors', {
  states: [
    {
      rules: [
        { AllowedMethods: ['GET'], AllowedOrigins: ['*'] },
        {
          ID: 'one',
          AllowedHeaders: ['*', 'x-amz-*'],
          AllowedMethods: ['PUT', 'POST', 'DELETE'],
          AllowedOrigins: ['https://b.example.com', 'https://*.a.example.com'],
          ExposeHeaders: ['x-amz-meta-b', 'ETag'],
          MaxAgeSeconds: 3000,
        },
      ],
    },
    // Crossplane sends an age of nothing as 0.
    { rules: [{ AllowedMethods: ['HEAD', 'GET'], AllowedOrigins: ['*'], MaxAgeSeconds: 0 }] },
  ],
  put: (client, Bucket, { rules }) =>
    client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: rules } })),
  read: (client, Bucket) => client.send(new GetBucketCorsCommand({ Bucket })),
  observed: ({ rules }) => ({ CORSRules: rules }),
  remove: (client, Bucket) => client.send(new DeleteBucketCorsCommand({ Bucket })),
});

const lifecycle = companion<{ readonly rules: LifecycleRule[] }>('lifecycle', {
  states: [
    {
      rules: [
        { ID: 'uploads', Filter: {}, Status: 'Enabled', AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } },
        {
          ID: 'logs',
          Filter: {
            And: {
              Prefix: 'logs/',
              Tags: [
                { Key: 'z', Value: '' },
                { Key: 'a', Value: 'b' },
              ],
            },
          },
          Status: 'Disabled',
          Expiration: { Days: 30 },
          NoncurrentVersionExpiration: { NoncurrentDays: 9, NewerNoncurrentVersions: 3 },
        },
      ],
    },
    // oxlint-disable-next-line typescript/no-deprecated -- the old form, which older configurations have
    { rules: [{ ID: 'old form', Prefix: '', Status: 'Enabled', Expiration: { Date: new Date('2030-01-01') } }] },
  ],
  put: (client, Bucket, { rules }) =>
    client.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules: rules } })),
  read: (client, Bucket) => client.send(new GetBucketLifecycleConfigurationCommand({ Bucket })),
  observed: ({ rules }) => ({ Rules: rules, TransitionDefaultMinimumObjectSize: 'all_storage_classes_128K' }),
  remove: (client, Bucket) => client.send(new DeleteBucketLifecycleCommand({ Bucket })),
});

const website = companion<WebsiteConfiguration>('website', {
  states: [
    { IndexDocument: { Suffix: 'index.html' } },
    {
      IndexDocument: { Suffix: 'main.html' },
      ErrorDocument: { Key: 'errors/404.html' },
      RoutingRules: [
        { Condition: { KeyPrefixEquals: 'docs/' }, Redirect: { ReplaceKeyPrefixWith: 'documents/' } },
        {
          Condition: { HttpErrorCodeReturnedEquals: '404', KeyPrefixEquals: 'a b/' },
          Redirect: { HostName: 'example.com', HttpRedirectCode: '302', Protocol: 'https', ReplaceKeyWith: 'x.html' },
        },
        { Redirect: { ReplaceKeyPrefixWith: '' } },
      ],
    },
    { RedirectAllRequestsTo: { HostName: 'example.com' } },
    { RedirectAllRequestsTo: { HostName: 'example.com', Protocol: 'https' } },
  ],
  put: (client, Bucket, WebsiteConfiguration) =>
    client.send(new PutBucketWebsiteCommand({ Bucket, WebsiteConfiguration })),
  read: (client, Bucket) => client.send(new GetBucketWebsiteCommand({ Bucket })),
  observed: (state) => state,
  remove: (client, Bucket) => client.send(new DeleteBucketWebsiteCommand({ Bucket })),
});

const policy = companion<{ readonly document: string }>('policy', {
  states: ['10.0.0.0/8', '192.168.0.0/16'].map((range) => ({
    document: JSON.stringify({
      Version: '2012-10-17',
      Statement: [
        {
          Sid: 'Reads',
          Effect: 'Allow',
          Principal: { AWS: 'arn:aws:iam::444444444444:root' },
          Action: ['s3:ListBucket', 's3:GetObject'],
          Resource: ['arn:aws:s3:::BUCKET', 'arn:aws:s3:::BUCKET/*'],
          Condition: { IpAddress: { 'aws:SourceIp': [range] }, Bool: { 'aws:SecureTransport': 'true' } },
        },
      ],
    }),
  })),
  put: (client, Bucket, { document }) =>
    client.send(new PutBucketPolicyCommand({ Bucket, Policy: document.replaceAll('BUCKET', Bucket) })),
  read: async (client, Bucket) => {
    const { Policy = '' } = await client.send(new GetBucketPolicyCommand({ Bucket }));
    return { Policy: JSON.parse(Policy.replaceAll(Bucket, 'BUCKET')) as unknown };
  },
  observed: ({ document }) => ({ Policy: JSON.parse(document) as unknown }),
  remove: (client, Bucket) => client.send(new DeleteBucketPolicyCommand({ Bucket })),
});

const publicAccess = companion<PublicAccessBlockConfiguration>('public access block', {
  states: [
    { BlockPublicAcls: true, BlockPublicPolicy: false, IgnorePublicAcls: true, RestrictPublicBuckets: false },
    { BlockPublicAcls: false, BlockPublicPolicy: false, IgnorePublicAcls: false, RestrictPublicBuckets: false },
  ],
  put: (client, Bucket, PublicAccessBlockConfiguration) =>
    client.send(new PutPublicAccessBlockCommand({ Bucket, PublicAccessBlockConfiguration })),
  read: (client, Bucket) => client.send(new GetPublicAccessBlockCommand({ Bucket })),
  observed: (PublicAccessBlockConfiguration) => ({ PublicAccessBlockConfiguration }),
  remove: (client, Bucket) => client.send(new DeletePublicAccessBlockCommand({ Bucket })),
});

const ownership = companion<OwnershipControlsRule>('ownership controls', {
  states: [{ ObjectOwnership: 'BucketOwnerPreferred' }, { ObjectOwnership: 'BucketOwnerEnforced' }],
  before: (client, Bucket) => client.send(new DeleteBucketOwnershipControlsCommand({ Bucket })),
  put: (client, Bucket, rule) =>
    client.send(new PutBucketOwnershipControlsCommand({ Bucket, OwnershipControls: { Rules: [rule] } })),
  read: (client, Bucket) => client.send(new GetBucketOwnershipControlsCommand({ Bucket })),
  observed: (rule) => ({ OwnershipControls: { Rules: [rule] } }),
  remove: (client, Bucket) => client.send(new DeleteBucketOwnershipControlsCommand({ Bucket })),
});

const tagging = companion<{ readonly tags: Tag[] }>('tags', {
  states: [
    { tags: [{ Key: 'a', Value: '1' }] },
    {
      tags: [
        { Key: 'b c', Value: '' },
        { Key: 'über', Value: '+ - = . _ : / @' },
      ],
    },
  ],
  put: (client, Bucket, { tags }) => client.send(new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet: tags } })),
  read: (client, Bucket) => client.send(new GetBucketTaggingCommand({ Bucket })),
  observed: ({ tags }) => ({ TagSet: tags }),
  remove: (client, Bucket) => client.send(new DeleteBucketTaggingCommand({ Bucket })),
});

const encryption = companion<ServerSideEncryptionRule>('encryption', {
  states: [
    { ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' }, BucketKeyEnabled: false },
    { ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' }, BucketKeyEnabled: true },
  ],
  put: (client, Bucket, rule) =>
    client.send(new PutBucketEncryptionCommand({ Bucket, ServerSideEncryptionConfiguration: { Rules: [rule] } })),
  read: (client, Bucket) => client.send(new GetBucketEncryptionCommand({ Bucket })),
  observed: (rule) => ({ ServerSideEncryptionConfiguration: { Rules: [rule] } }),
  remove: (client, Bucket) => client.send(new DeleteBucketEncryptionCommand({ Bucket })),
});

const objectLock = companion<ObjectLockConfiguration>('object lock', {
  states: [
    { ObjectLockEnabled: 'Enabled' },
    { ObjectLockEnabled: 'Enabled', Rule: { DefaultRetention: { Mode: 'GOVERNANCE', Days: 1 } } },
    { ObjectLockEnabled: 'Enabled', Rule: { DefaultRetention: { Mode: 'COMPLIANCE', Years: 2 } } },
  ],
  before: enableVersioning,
  put: (client, Bucket, ObjectLockConfiguration) =>
    client.send(new PutObjectLockConfigurationCommand({ Bucket, ObjectLockConfiguration })),
  read: (client, Bucket) => client.send(new GetObjectLockConfigurationCommand({ Bucket })),
  observed: (ObjectLockConfiguration) => ({ ObjectLockConfiguration }),
});

const logging = companion<BucketLoggingStatus>('logging, none', {
  states: [{}],
  put: (client, Bucket, BucketLoggingStatus) =>
    client.send(new PutBucketLoggingCommand({ Bucket, BucketLoggingStatus })),
  read: (client, Bucket) => client.send(new GetBucketLoggingCommand({ Bucket })),
  observed: () => ({}),
});

const notification = companion<object>('notification, none', {
  states: [{}],
  put: (client, Bucket) =>
    client.send(new PutBucketNotificationConfigurationCommand({ Bucket, NotificationConfiguration: {} })),
  read: (client, Bucket) => client.send(new GetBucketNotificationConfigurationCommand({ Bucket })),
  observed: () => ({}),
});

const payment = companion<object>('payment by the owner', {
  states: [{}],
  put: (client, Bucket) =>
    client.send(new PutBucketRequestPaymentCommand({ Bucket, RequestPaymentConfiguration: { Payer: 'BucketOwner' } })),
  read: (client, Bucket) => client.send(new GetBucketRequestPaymentCommand({ Bucket })),
  observed: () => ({ Payer: 'BucketOwner' }),
});

const acceleration = companion<object>('acceleration, suspended', {
  states: [{}],
  put: (client, Bucket) =>
    client.send(
      new PutBucketAccelerateConfigurationCommand({ Bucket, AccelerateConfiguration: { Status: 'Suspended' } }),
    ),
  read: (client, Bucket) => client.send(new GetBucketAccelerateConfigurationCommand({ Bucket })),
  observed: () => ({ Status: 'Suspended' }),
});

const GROUPS = 'http://acs.amazonaws.com/groups/global/';

/** Grants by their grantees: their order is none of those tools. */
const acl = companion<{ readonly canned: 'private' | 'public-read' | 'authenticated-read'; readonly to: string[] }>(
  'canned ACL',
  {
    states: [
      { canned: 'private', to: [] },
      { canned: 'public-read', to: ['AllUsers READ'] },
      { canned: 'authenticated-read', to: ['AuthenticatedUsers READ'] },
    ],
    put: (client, Bucket, { canned }) => client.send(new PutBucketAclCommand({ Bucket, ACL: canned })),
    read: async (client, Bucket) => {
      const { Owner, Grants = [] } = await client.send(new GetBucketAclCommand({ Bucket }));
      const said = Grants.map(({ Grantee, Permission }) => {
        const who = Grantee?.ID === Owner?.ID ? 'owner' : (Grantee?.URI ?? '').replace(GROUPS, '');
        return `${who} ${Permission ?? ''}`;
      });
      return { grants: said.sort() };
    },
    observed: ({ to }) => ({ grants: [...to, 'owner FULL_CONTROL'].sort() }),
  },
);

export const COMPANIONS: readonly Companion[] = [
  versioning,
  cors,
  lifecycle,
  website,
  policy,
  publicAccess,
  ownership,
  tagging,
  encryption,
  objectLock,
  logging,
  notification,
  payment,
  acceleration,
  acl,
];
