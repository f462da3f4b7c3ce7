import { BYPASS, MAKING, on, type OperationDeclaration } from './operation-row.ts';

const DELETING = [{ action: 's3:DeleteObjectVersion', when: 'instead, for each item with a `VersionId`' }, ...BYPASS];
const NEVER = 'This operation is not offered by this service.';

/** Operations on a bucket and its settings. Order inside a sub-resource is the order of the `Allow` header. */
export const BUCKET_ROWS = [
  { name: 'HeadBucket', level: 'bucket', method: 'HEAD', permission: 's3:ListBucket' },
  { name: 'DeleteBucket', level: 'bucket', method: 'DELETE', permission: 's3:DeleteBucket' },
  { name: 'ListObjectsV2', level: 'bucket', method: 'GET', match: { query: 'list-type', value: '2' }, permission: 's3:ListBucket' },
  { name: 'ListObjects', level: 'bucket', method: 'GET', permission: 's3:ListBucket' },
  {
    name: 'CreateBucket', level: 'bucket', method: 'PUT', body: 'xml', permission: 's3:CreateBucket', anonymous: false,
    adds: [
      { action: 's3:PutBucketAcl', when: '`x-amz-acl`, `x-amz-grant-*`' },
      { action: 's3:PutBucketOwnershipControls', when: '`x-amz-object-ownership`' },
      { action: 's3:PutBucketObjectLockConfiguration', when: '`x-amz-bucket-object-lock-enabled: true`' },
      { action: 's3:PutBucketVersioning', when: '`x-amz-bucket-object-lock-enabled: true`' },
      { action: 's3:TagResource', when: 'tags in the body' },
    ],
  },
  { name: 'PostObject', level: 'bucket', method: 'POST', body: 'object', permission: 's3:PutObject', adds: MAKING },
  { name: 'OptionsBucket', level: 'bucket', method: 'OPTIONS', permission: 's3:GetBucketCORS' },

  { name: 'DeleteObjects', level: 'bucket', method: 'POST', match: on('delete'), body: 'xml', permission: 's3:DeleteObject', adds: DELETING },
  { name: 'ListObjectVersions', level: 'bucket', method: 'GET', match: on('versions'), permission: 's3:ListBucketVersions' },
  { name: 'ListMultipartUploads', level: 'bucket', method: 'GET', match: on('uploads'), permission: 's3:ListBucketMultipartUploads' },
  { name: 'GetBucketLocation', level: 'bucket', method: 'GET', match: on('location'), permission: 's3:GetBucketLocation' },

  { name: 'GetBucketVersioning', level: 'bucket', method: 'GET', match: on('versioning'), permission: 's3:GetBucketVersioning' },
  { name: 'PutBucketVersioning', level: 'bucket', method: 'PUT', match: on('versioning'), body: 'xml', permission: 's3:PutBucketVersioning' },
  { name: 'GetBucketAcl', level: 'bucket', method: 'GET', match: on('acl'), permission: 's3:GetBucketAcl' },
  { name: 'PutBucketAcl', level: 'bucket', method: 'PUT', match: on('acl'), body: 'xml', permission: 's3:PutBucketAcl' },
  { name: 'GetBucketOwnershipControls', level: 'bucket', method: 'GET', match: on('ownershipControls'), permission: 's3:GetBucketOwnershipControls' },
  { name: 'PutBucketOwnershipControls', level: 'bucket', method: 'PUT', match: on('ownershipControls'), body: 'xml', permission: 's3:PutBucketOwnershipControls' },
  { name: 'DeleteBucketOwnershipControls', level: 'bucket', method: 'DELETE', match: on('ownershipControls'), permission: 's3:PutBucketOwnershipControls' },
  { name: 'GetPublicAccessBlock', level: 'bucket', method: 'GET', match: on('publicAccessBlock'), permission: 's3:GetBucketPublicAccessBlock' },
  { name: 'PutPublicAccessBlock', level: 'bucket', method: 'PUT', match: on('publicAccessBlock'), body: 'xml', permission: 's3:PutBucketPublicAccessBlock' },
  { name: 'DeletePublicAccessBlock', level: 'bucket', method: 'DELETE', match: on('publicAccessBlock'), permission: 's3:PutBucketPublicAccessBlock' },
  { name: 'GetBucketPolicy', level: 'bucket', method: 'GET', match: on('policy'), permission: 's3:GetBucketPolicy' },
  { name: 'PutBucketPolicy', level: 'bucket', method: 'PUT', match: on('policy'), body: 'xml', permission: 's3:PutBucketPolicy' },
  { name: 'DeleteBucketPolicy', level: 'bucket', method: 'DELETE', match: on('policy'), permission: 's3:DeleteBucketPolicy' },
  { name: 'GetBucketPolicyStatus', level: 'bucket', method: 'GET', match: on('policyStatus'), permission: 's3:GetBucketPolicyStatus' },
  { name: 'GetBucketCors', level: 'bucket', method: 'GET', match: on('cors'), permission: 's3:GetBucketCORS' },
  { name: 'PutBucketCors', level: 'bucket', method: 'PUT', match: on('cors'), body: 'xml', permission: 's3:PutBucketCORS' },
  { name: 'DeleteBucketCors', level: 'bucket', method: 'DELETE', match: on('cors'), permission: 's3:PutBucketCORS' },
  { name: 'GetBucketTagging', level: 'bucket', method: 'GET', match: on('tagging'), permission: 's3:GetBucketTagging' },
  { name: 'PutBucketTagging', level: 'bucket', method: 'PUT', match: on('tagging'), body: 'xml', permission: 's3:PutBucketTagging' },
  { name: 'DeleteBucketTagging', level: 'bucket', method: 'DELETE', match: on('tagging'), permission: 's3:PutBucketTagging' },
  { name: 'GetBucketLifecycleConfiguration', level: 'bucket', method: 'GET', match: on('lifecycle'), permission: 's3:GetLifecycleConfiguration' },
  { name: 'PutBucketLifecycleConfiguration', level: 'bucket', method: 'PUT', match: on('lifecycle'), body: 'xml', permission: 's3:PutLifecycleConfiguration' },
  { name: 'DeleteBucketLifecycle', level: 'bucket', method: 'DELETE', match: on('lifecycle'), permission: 's3:PutLifecycleConfiguration' },
  { name: 'GetObjectLockConfiguration', level: 'bucket', method: 'GET', match: on('object-lock'), permission: 's3:GetBucketObjectLockConfiguration' },
  { name: 'PutObjectLockConfiguration', level: 'bucket', method: 'PUT', match: on('object-lock'), body: 'xml', permission: 's3:PutBucketObjectLockConfiguration' },
  { name: 'GetBucketEncryption', level: 'bucket', method: 'GET', match: on('encryption'), permission: 's3:GetEncryptionConfiguration' },
  { name: 'PutBucketEncryption', level: 'bucket', method: 'PUT', match: on('encryption'), body: 'xml', permission: 's3:PutEncryptionConfiguration' },
  { name: 'DeleteBucketEncryption', level: 'bucket', method: 'DELETE', match: on('encryption'), permission: 's3:PutEncryptionConfiguration' },
  { name: 'GetBucketWebsite', level: 'bucket', method: 'GET', match: on('website'), permission: 's3:GetBucketWebsite' },
  { name: 'PutBucketWebsite', level: 'bucket', method: 'PUT', match: on('website'), body: 'xml', permission: 's3:PutBucketWebsite' },
  { name: 'DeleteBucketWebsite', level: 'bucket', method: 'DELETE', match: on('website'), permission: 's3:DeleteBucketWebsite' },
  { name: 'GetBucketRequestPayment', level: 'bucket', method: 'GET', match: on('requestPayment'), permission: 's3:GetBucketRequestPayment' },
  { name: 'PutBucketRequestPayment', level: 'bucket', method: 'PUT', match: on('requestPayment'), body: 'xml', permission: 's3:PutBucketRequestPayment' },
  { name: 'GetBucketLogging', level: 'bucket', method: 'GET', match: on('logging'), permission: 's3:GetBucketLogging' },
  { name: 'PutBucketLogging', level: 'bucket', method: 'PUT', match: on('logging'), body: 'xml', permission: 's3:PutBucketLogging' },
  { name: 'GetBucketNotificationConfiguration', level: 'bucket', method: 'GET', match: on('notification'), permission: 's3:GetBucketNotification' },
  { name: 'PutBucketNotificationConfiguration', level: 'bucket', method: 'PUT', match: on('notification'), body: 'xml', permission: 's3:PutBucketNotification' },
  { name: 'GetBucketAccelerateConfiguration', level: 'bucket', method: 'GET', match: on('accelerate'), permission: 's3:GetAccelerateConfiguration' },
  { name: 'PutBucketAccelerateConfiguration', level: 'bucket', method: 'PUT', match: on('accelerate'), body: 'xml', permission: 's3:PutAccelerateConfiguration' },
  { name: 'GetBucketReplication', level: 'bucket', method: 'GET', match: on('replication'), permission: 's3:GetReplicationConfiguration' },
  { name: 'PutBucketReplication', level: 'bucket', method: 'PUT', match: on('replication'), body: 'xml', permission: 's3:PutReplicationConfiguration' },
  { name: 'DeleteBucketReplication', level: 'bucket', method: 'DELETE', match: on('replication'), permission: 's3:PutReplicationConfiguration' },
] as const satisfies readonly OperationDeclaration[];

function oneOf<const S extends string>(subresource: S): { readonly subresource: S; readonly query: 'id' } {
  return { subresource, query: 'id' };
}

/** Configurations that come in many per bucket: with `id` one of them, without it the list. */
export const ANALYSIS_ROWS = [
  { name: 'GetBucketAnalyticsConfiguration', level: 'bucket', method: 'GET', match: oneOf('analytics'), permission: 's3:GetAnalyticsConfiguration' },
  { name: 'ListBucketAnalyticsConfigurations', level: 'bucket', method: 'GET', match: on('analytics'), permission: 's3:GetAnalyticsConfiguration' },
  { name: 'PutBucketAnalyticsConfiguration', level: 'bucket', method: 'PUT', match: on('analytics'), body: 'xml', permission: 's3:PutAnalyticsConfiguration' },
  { name: 'DeleteBucketAnalyticsConfiguration', level: 'bucket', method: 'DELETE', match: on('analytics'), permission: 's3:PutAnalyticsConfiguration' },
  { name: 'GetBucketMetricsConfiguration', level: 'bucket', method: 'GET', match: oneOf('metrics'), permission: 's3:GetMetricsConfiguration' },
  { name: 'ListBucketMetricsConfigurations', level: 'bucket', method: 'GET', match: on('metrics'), permission: 's3:GetMetricsConfiguration' },
  { name: 'PutBucketMetricsConfiguration', level: 'bucket', method: 'PUT', match: on('metrics'), body: 'xml', permission: 's3:PutMetricsConfiguration' },
  { name: 'DeleteBucketMetricsConfiguration', level: 'bucket', method: 'DELETE', match: on('metrics'), permission: 's3:PutMetricsConfiguration' },
  { name: 'GetBucketInventoryConfiguration', level: 'bucket', method: 'GET', match: oneOf('inventory'), permission: 's3:GetInventoryConfiguration' },
  { name: 'ListBucketInventoryConfigurations', level: 'bucket', method: 'GET', match: on('inventory'), permission: 's3:GetInventoryConfiguration' },
  { name: 'PutBucketInventoryConfiguration', level: 'bucket', method: 'PUT', match: on('inventory'), body: 'xml', permission: 's3:PutInventoryConfiguration' },
  { name: 'DeleteBucketInventoryConfiguration', level: 'bucket', method: 'DELETE', match: on('inventory'), permission: 's3:PutInventoryConfiguration' },
  {
    name: 'GetBucketIntelligentTieringConfiguration', level: 'bucket', method: 'GET', match: oneOf('intelligent-tiering'),
    permission: 's3:GetIntelligentTieringConfiguration',
  },
  {
    name: 'ListBucketIntelligentTieringConfigurations', level: 'bucket', method: 'GET', match: on('intelligent-tiering'),
    permission: 's3:GetIntelligentTieringConfiguration',
  },
  {
    name: 'PutBucketIntelligentTieringConfiguration', level: 'bucket', method: 'PUT', match: on('intelligent-tiering'), body: 'xml',
    permission: 's3:PutIntelligentTieringConfiguration',
  },
  {
    name: 'DeleteBucketIntelligentTieringConfiguration', level: 'bucket', method: 'DELETE', match: on('intelligent-tiering'),
    permission: 's3:PutIntelligentTieringConfiguration',
  },
] as const satisfies readonly OperationDeclaration[];

/** Directory buckets, attribute-based access and metadata tables. */
export const METADATA_ROWS = [
  { name: 'CreateSession', level: 'bucket', method: 'GET', match: on('session'), permission: 's3express:CreateSession', anonymous: false, hint: NEVER },
  { name: 'GetBucketAbac', level: 'bucket', method: 'GET', match: on('abac'), permission: 's3:GetBucketAbac' },
  { name: 'PutBucketAbac', level: 'bucket', method: 'PUT', match: on('abac'), body: 'xml', permission: 's3:PutBucketAbac' },
  {
    name: 'CreateBucketMetadataConfiguration', level: 'bucket', method: 'POST', match: on('metadataConfiguration'), body: 'xml',
    permission: 's3:CreateBucketMetadataTableConfiguration', hint: NEVER,
  },
  {
    name: 'GetBucketMetadataConfiguration', level: 'bucket', method: 'GET', match: on('metadataConfiguration'),
    permission: 's3:GetBucketMetadataTableConfiguration',
  },
  {
    name: 'DeleteBucketMetadataConfiguration', level: 'bucket', method: 'DELETE', match: on('metadataConfiguration'),
    permission: 's3:DeleteBucketMetadataTableConfiguration',
  },
  {
    name: 'CreateBucketMetadataTableConfiguration', level: 'bucket', method: 'POST', match: on('metadataTable'), body: 'xml',
    permission: 's3:CreateBucketMetadataTableConfiguration', hint: NEVER,
  },
  {
    name: 'GetBucketMetadataTableConfiguration', level: 'bucket', method: 'GET', match: on('metadataTable'),
    permission: 's3:GetBucketMetadataTableConfiguration',
  },
  {
    name: 'DeleteBucketMetadataTableConfiguration', level: 'bucket', method: 'DELETE', match: on('metadataTable'),
    permission: 's3:DeleteBucketMetadataTableConfiguration',
  },
  {
    name: 'UpdateBucketMetadataInventoryTableConfiguration', level: 'bucket', method: 'PUT', match: on('metadataInventoryTable'), body: 'xml',
    permission: 's3:UpdateBucketMetadataInventoryTableConfiguration', hint: NEVER,
  },
  {
    name: 'UpdateBucketMetadataJournalTableConfiguration', level: 'bucket', method: 'PUT', match: on('metadataJournalTable'), body: 'xml',
    permission: 's3:UpdateBucketMetadataJournalTableConfiguration', hint: NEVER,
  },
] as const satisfies readonly OperationDeclaration[];
