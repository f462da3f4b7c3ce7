import type { OperationName } from '../protocol/operation-table.ts';
import { getBucketAcl } from './acl/get-bucket-acl.ts';
import { getObjectAcl } from './acl/get-object-acl.ts';
import { putBucketAcl } from './acl/put-bucket-acl.ts';
import { putObjectAcl } from './acl/put-object-acl.ts';
import {
  deleteBucketEncryption,
  getBucketEncryption,
  putBucketEncryption,
} from './bucket/settings/bucket-encryption.ts';
import { CONFIGURATION_LISTS } from './bucket/settings/configuration-lists.ts';
import { createBucket } from './bucket/create-bucket.ts';
import { deleteBucketCors } from './bucket/settings/delete-bucket-cors.ts';
import { deleteBucketOwnershipControls } from './bucket/settings/delete-bucket-ownership-controls.ts';
import { deleteBucketWebsite } from './bucket/settings/delete-bucket-website.ts';
import { deleteBucketTagging } from './bucket/settings/delete-bucket-tagging.ts';
import { deleteBucket } from './bucket/delete-bucket.ts';
import { deletePublicAccessBlock } from './bucket/settings/delete-public-access-block.ts';
import { getBucketCors } from './bucket/settings/get-bucket-cors.ts';
import { getBucketLocation } from './bucket/get-bucket-location.ts';
import { getBucketOwnershipControls } from './bucket/settings/get-bucket-ownership-controls.ts';
import { getBucketAbac, putBucketAbac } from './bucket/settings/bucket-abac.ts';
import { getBucketTagging } from './bucket/settings/get-bucket-tagging.ts';
import { getBucketWebsite } from './bucket/settings/get-bucket-website.ts';
import { getBucketVersioning } from './bucket/settings/get-bucket-versioning.ts';
import { getObjectLockConfiguration } from './bucket/settings/get-object-lock-configuration.ts';
import { getPublicAccessBlock } from './bucket/settings/get-public-access-block.ts';
import { headBucket } from './bucket/head-bucket.ts';
import { listBuckets } from './bucket/list-buckets.ts';
import { listObjectVersions } from './bucket/list-object-versions.ts';
import { listObjectsV2 } from './bucket/list-objects-v2.ts';
import { listObjects } from './bucket/list-objects.ts';
import { putBucketCors } from './bucket/settings/put-bucket-cors.ts';
import { putBucketOwnershipControls } from './bucket/settings/put-bucket-ownership-controls.ts';
import { putBucketReplication } from './bucket/settings/put-bucket-replication.ts';
import { putBucketTagging } from './bucket/settings/put-bucket-tagging.ts';
import { putBucketWebsite } from './bucket/settings/put-bucket-website.ts';
import { putBucketVersioning } from './bucket/settings/put-bucket-versioning.ts';
import { putObjectLockConfiguration } from './bucket/settings/put-object-lock-configuration.ts';
import { putPublicAccessBlock } from './bucket/settings/put-public-access-block.ts';
import { RESTATED_SETTINGS } from './bucket/settings/restated-settings.ts';
import { UNSET_CONFIGURATIONS } from './bucket/settings/unset-configuration.ts';
import { listTagsForResource } from './control/list-tags-for-resource.ts';
import { tagResource } from './control/tag-resource.ts';
import { untagResource } from './control/untag-resource.ts';
import { abortMultipartUpload } from './multipart/abort-multipart-upload.ts';
import { completeMultipartUpload } from './multipart/complete-multipart-upload.ts';
import { createMultipartUpload } from './multipart/create-multipart-upload.ts';
import { listMultipartUploads } from './multipart/list-multipart-uploads.ts';
import { listParts } from './multipart/list-parts.ts';
import { uploadPartCopy } from './multipart/upload-part-copy.ts';
import { uploadPart } from './multipart/upload-part.ts';
import { copyObject } from './object/copy-object.ts';
import { deleteObject } from './object/delete-object.ts';
import { deleteObjectTagging } from './object/delete-object-tagging.ts';
import { deleteObjects } from './object/delete-objects.ts';
import { getObjectAttributes } from './object/get-object-attributes.ts';
import { getObjectLegalHold } from './object/get-object-legal-hold.ts';
import { getObjectRetention } from './object/get-object-retention.ts';
import { getObjectTagging } from './object/get-object-tagging.ts';
import { getObject } from './object/get-object.ts';
import { headObject } from './object/head-object.ts';
import { postObject } from './object/post-object.ts';
import { putObjectLegalHold } from './object/put-object-legal-hold.ts';
import { putObjectRetention } from './object/put-object-retention.ts';
import { putObjectTagging } from './object/put-object-tagging.ts';
import { putObject } from './object/put-object.ts';
import type { Operation } from './operation.ts';
import { deleteBucketPolicy } from './policy/delete-bucket-policy.ts';
import { getBucketPolicyStatus } from './policy/get-bucket-policy-status.ts';
import { getBucketPolicy } from './policy/get-bucket-policy.ts';
import { putBucketPolicy } from './policy/put-bucket-policy.ts';
import { preflight } from './preflight.ts';

/** The operations that the gateway has. A row of the operation table without an entry here answers NotImplemented. */
export const OPERATIONS: Readonly<Partial<Record<OperationName, Operation>>> = {
  ...UNSET_CONFIGURATIONS,
  ...RESTATED_SETTINGS,
  ...CONFIGURATION_LISTS,
  ListBuckets: listBuckets,
  CreateBucket: createBucket,
  HeadBucket: headBucket,
  DeleteBucket: deleteBucket,
  GetBucketLocation: getBucketLocation,
  GetBucketAbac: getBucketAbac,
  PutBucketAbac: putBucketAbac,
  GetBucketTagging: getBucketTagging,
  PutBucketTagging: putBucketTagging,
  DeleteBucketTagging: deleteBucketTagging,
  GetBucketCors: getBucketCors,
  PutBucketCors: putBucketCors,
  DeleteBucketCors: deleteBucketCors,
  GetBucketWebsite: getBucketWebsite,
  PutBucketWebsite: putBucketWebsite,
  DeleteBucketWebsite: deleteBucketWebsite,
  OptionsBucket: preflight,
  OptionsObject: preflight,
  GetBucketEncryption: getBucketEncryption,
  PutBucketEncryption: putBucketEncryption,
  DeleteBucketEncryption: deleteBucketEncryption,
  PutBucketReplication: putBucketReplication,
  GetBucketAcl: getBucketAcl,
  PutBucketAcl: putBucketAcl,
  GetBucketVersioning: getBucketVersioning,
  PutBucketVersioning: putBucketVersioning,
  GetObjectLockConfiguration: getObjectLockConfiguration,
  PutObjectLockConfiguration: putObjectLockConfiguration,
  GetBucketOwnershipControls: getBucketOwnershipControls,
  PutBucketOwnershipControls: putBucketOwnershipControls,
  DeleteBucketOwnershipControls: deleteBucketOwnershipControls,
  GetPublicAccessBlock: getPublicAccessBlock,
  GetBucketPolicy: getBucketPolicy,
  PutBucketPolicy: putBucketPolicy,
  DeleteBucketPolicy: deleteBucketPolicy,
  GetBucketPolicyStatus: getBucketPolicyStatus,
  PutPublicAccessBlock: putPublicAccessBlock,
  DeletePublicAccessBlock: deletePublicAccessBlock,
  ListObjects: listObjects,
  ListObjectsV2: listObjectsV2,
  ListObjectVersions: listObjectVersions,
  PutObject: putObject,
  PostObject: postObject,
  GetObject: getObject,
  HeadObject: headObject,
  DeleteObject: deleteObject,
  DeleteObjects: deleteObjects,
  CopyObject: copyObject,
  GetObjectAttributes: getObjectAttributes,
  GetObjectTagging: getObjectTagging,
  PutObjectTagging: putObjectTagging,
  DeleteObjectTagging: deleteObjectTagging,
  GetObjectAcl: getObjectAcl,
  PutObjectAcl: putObjectAcl,
  GetObjectRetention: getObjectRetention,
  PutObjectRetention: putObjectRetention,
  GetObjectLegalHold: getObjectLegalHold,
  PutObjectLegalHold: putObjectLegalHold,
  CreateMultipartUpload: createMultipartUpload,
  UploadPart: uploadPart,
  UploadPartCopy: uploadPartCopy,
  ListParts: listParts,
  ListMultipartUploads: listMultipartUploads,
  CompleteMultipartUpload: completeMultipartUpload,
  AbortMultipartUpload: abortMultipartUpload,
  ListTagsForResource: listTagsForResource,
  TagResource: tagResource,
  UntagResource: untagResource,
};
