import { on, type OperationDeclaration } from './operation-row.ts';

function oneOf<const S extends string>(subresource: S): { readonly subresource: S; readonly query: 'id' } {
  return { subresource, query: 'id' };
}

/** Configurations that come in many per bucket: with `id` one of them, without it the list. */
export const ANALYSIS_ROWS = [
  {
    name: 'GetBucketAnalyticsConfiguration',
    level: 'bucket',
    method: 'GET',
    match: oneOf('analytics'),
    permission: 's3:GetAnalyticsConfiguration',
  },
  {
    name: 'ListBucketAnalyticsConfigurations',
    level: 'bucket',
    method: 'GET',
    match: on('analytics'),
    permission: 's3:GetAnalyticsConfiguration',
  },
  {
    name: 'PutBucketAnalyticsConfiguration',
    level: 'bucket',
    method: 'PUT',
    match: on('analytics'),
    body: 'xml',
    permission: 's3:PutAnalyticsConfiguration',
  },
  {
    name: 'DeleteBucketAnalyticsConfiguration',
    level: 'bucket',
    method: 'DELETE',
    match: on('analytics'),
    permission: 's3:PutAnalyticsConfiguration',
  },
  {
    name: 'GetBucketMetricsConfiguration',
    level: 'bucket',
    method: 'GET',
    match: oneOf('metrics'),
    permission: 's3:GetMetricsConfiguration',
  },
  {
    name: 'ListBucketMetricsConfigurations',
    level: 'bucket',
    method: 'GET',
    match: on('metrics'),
    permission: 's3:GetMetricsConfiguration',
  },
  {
    name: 'PutBucketMetricsConfiguration',
    level: 'bucket',
    method: 'PUT',
    match: on('metrics'),
    body: 'xml',
    permission: 's3:PutMetricsConfiguration',
  },
  {
    name: 'DeleteBucketMetricsConfiguration',
    level: 'bucket',
    method: 'DELETE',
    match: on('metrics'),
    permission: 's3:PutMetricsConfiguration',
  },
  {
    name: 'GetBucketInventoryConfiguration',
    level: 'bucket',
    method: 'GET',
    match: oneOf('inventory'),
    permission: 's3:GetInventoryConfiguration',
  },
  {
    name: 'ListBucketInventoryConfigurations',
    level: 'bucket',
    method: 'GET',
    match: on('inventory'),
    permission: 's3:GetInventoryConfiguration',
  },
  {
    name: 'PutBucketInventoryConfiguration',
    level: 'bucket',
    method: 'PUT',
    match: on('inventory'),
    body: 'xml',
    permission: 's3:PutInventoryConfiguration',
    decidedOn: 'inventoryFields',
  },
  {
    name: 'DeleteBucketInventoryConfiguration',
    level: 'bucket',
    method: 'DELETE',
    match: on('inventory'),
    permission: 's3:PutInventoryConfiguration',
  },
  {
    name: 'GetBucketIntelligentTieringConfiguration',
    level: 'bucket',
    method: 'GET',
    match: oneOf('intelligent-tiering'),
    permission: 's3:GetIntelligentTieringConfiguration',
  },
  {
    name: 'ListBucketIntelligentTieringConfigurations',
    level: 'bucket',
    method: 'GET',
    match: on('intelligent-tiering'),
    permission: 's3:GetIntelligentTieringConfiguration',
  },
  {
    name: 'PutBucketIntelligentTieringConfiguration',
    level: 'bucket',
    method: 'PUT',
    match: on('intelligent-tiering'),
    body: 'xml',
    permission: 's3:PutIntelligentTieringConfiguration',
  },
  {
    name: 'DeleteBucketIntelligentTieringConfiguration',
    level: 'bucket',
    method: 'DELETE',
    match: on('intelligent-tiering'),
    permission: 's3:PutIntelligentTieringConfiguration',
  },
] as const satisfies readonly OperationDeclaration[];
