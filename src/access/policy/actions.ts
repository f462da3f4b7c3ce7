import type { PatternSet } from './document.ts';
import { NO_KEYS } from './context.ts';

/**
 * What an action is done to: `bucket`, `object`, or something that no bucket's policy speaks about (the account, access
 * points, jobs, and what else S3 has).
 */
export type ActionLevel = 'bucket' | 'object' | 'other';

const words = (text: string): string[] => text.trim().split(/\s+/);

const BUCKET = words(`
  AllowVendedLogDeliveryForResource CreateBucket CreateBucketMetadataTableConfiguration DeleteBucket
  DeleteBucketMetadataTableConfiguration DeleteBucketPolicy DeleteBucketWebsite GetAccelerateConfiguration
  GetAnalyticsConfiguration GetBucketAbac GetBucketAcl GetBucketCORS GetBucketLocation GetBucketLogging
  GetBucketMetadataTableConfiguration GetBucketNotification GetBucketObjectLockConfiguration
  GetBucketOwnershipControls GetBucketPolicy GetBucketPolicyStatus GetBucketPublicAccessBlock
  GetBucketRequestPayment GetBucketTagging GetBucketVersioning GetBucketWebsite GetEncryptionConfiguration
  GetIntelligentTieringConfiguration GetInventoryConfiguration GetLifecycleConfiguration GetMetricsConfiguration
  GetReplicationConfiguration ListBucket ListBucketMultipartUploads ListBucketVersions ListTagsForResource
  PauseReplication PutAccelerateConfiguration PutAnalyticsConfiguration PutBucketAbac PutBucketAcl PutBucketCORS
  PutBucketLogging PutBucketNotification PutBucketObjectLockConfiguration PutBucketOwnershipControls
  PutBucketPolicy PutBucketPublicAccessBlock PutBucketRequestPayment PutBucketTagging PutBucketVersioning
  PutBucketWebsite PutEncryptionConfiguration PutIntelligentTieringConfiguration PutInventoryConfiguration
  PutLifecycleConfiguration PutMetricsConfiguration PutReplicationConfiguration TagResource UntagResource
  UpdateBucketMetadataAnnotationTableConfiguration UpdateBucketMetadataInventoryTableConfiguration
  UpdateBucketMetadataJournalTableConfiguration
`);

const OBJECT = words(`
  AbortMultipartUpload BypassGovernanceRetention DeleteObject DeleteObjectAnnotation DeleteObjectTagging
  DeleteObjectVersion DeleteObjectVersionAnnotation DeleteObjectVersionTagging GetObject GetObjectAcl
  GetObjectAnnotation GetObjectAttributes GetObjectLegalHold GetObjectRetention GetObjectTagging GetObjectTorrent
  GetObjectVersion GetObjectVersionAcl GetObjectVersionAnnotation GetObjectVersionAnnotationForReplication
  GetObjectVersionAttributes GetObjectVersionForReplication GetObjectVersionTagging GetObjectVersionTorrent
  InitiateReplication ListMultipartUploadParts ListObjectAnnotations ListObjectVersionAnnotations
  ObjectOwnerOverrideToBucketOwner PutObject PutObjectAcl PutObjectAnnotation PutObjectLegalHold
  PutObjectRetention PutObjectTagging PutObjectVersionAcl PutObjectVersionAnnotation PutObjectVersionTagging
  ReplicateDelete ReplicateObject ReplicateObjectAnnotation ReplicateTags RestoreObject UpdateObjectEncryption
`);

const OTHER = words(`
  AssociateAccessGrantsIdentityCenter CreateAccessGrant CreateAccessGrantsInstance CreateAccessGrantsLocation
  CreateAccessPoint CreateAccessPointForObjectLambda CreateJob CreateMultiRegionAccessPoint CreateStorageLensGroup
  DeleteAccessGrant DeleteAccessGrantsInstance DeleteAccessGrantsInstanceResourcePolicy DeleteAccessGrantsLocation
  DeleteAccessPoint DeleteAccessPointForObjectLambda DeleteAccessPointPolicy DeleteAccessPointPolicyForObjectLambda
  DeleteJobTagging DeleteMultiRegionAccessPoint DeleteStorageLensConfiguration
  DeleteStorageLensConfigurationTagging DeleteStorageLensGroup DescribeJob DescribeMultiRegionAccessPointOperation
  DissociateAccessGrantsIdentityCenter GetAccessGrant GetAccessGrantsInstance GetAccessGrantsInstanceForPrefix
  GetAccessGrantsInstanceResourcePolicy GetAccessGrantsLocation GetAccessPoint
  GetAccessPointConfigurationForObjectLambda GetAccessPointForObjectLambda GetAccessPointPolicy
  GetAccessPointPolicyForObjectLambda GetAccessPointPolicyStatus GetAccessPointPolicyStatusForObjectLambda
  GetAccountPublicAccessBlock GetDataAccess GetJobTagging GetMultiRegionAccessPoint GetMultiRegionAccessPointPolicy
  GetMultiRegionAccessPointPolicyStatus GetMultiRegionAccessPointRoutes GetStorageLensConfiguration
  GetStorageLensConfigurationTagging GetStorageLensDashboard GetStorageLensGroup ListAccessGrants
  ListAccessGrantsInstances ListAccessGrantsLocations ListAccessPoints ListAccessPointsForObjectLambda
  ListAllMyBuckets ListCallerAccessGrants ListJobs ListMultiRegionAccessPoints ListStorageLensConfigurations
  ListStorageLensGroups PutAccessGrantsInstanceResourcePolicy PutAccessPointConfigurationForObjectLambda
  PutAccessPointPolicy PutAccessPointPolicyForObjectLambda PutAccessPointPublicAccessBlock
  PutAccountPublicAccessBlock PutJobTagging PutMultiRegionAccessPointPolicy PutStorageLensConfiguration
  PutStorageLensConfigurationTagging SubmitMultiRegionAccessPointRoutes UpdateAccessGrantsLocation
  UpdateJobPriority UpdateJobStatus UpdateStorageLensGroup
`);

function entries(names: readonly string[], level: ActionLevel): [string, ActionLevel][] {
  return names.map((name) => [`s3:${name}`, level]);
}

/**
 * All actions of S3, whether this gateway does them or not: a policy may name them.
 * https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazons3.html
 */
export const S3_ACTIONS: ReadonlyMap<string, ActionLevel> = new Map([
  ...entries(BUCKET, 'bucket'),
  ...entries(OBJECT, 'object'),
  ...entries(OTHER, 'other'),
]);

const LOWER: readonly (readonly [lower: string, name: string])[] = [...S3_ACTIONS.keys()].map((name) => [
  name.toLowerCase(),
  name,
]);

/** The actions that one pattern of an Action names. */
export function actionsOf(pattern: PatternSet['patterns'][number]): string[] {
  return LOWER.filter(([lower]) => pattern.matches(lower, NO_KEYS)).map(([, name]) => name);
}
