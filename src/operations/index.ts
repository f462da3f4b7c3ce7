import type { OperationName } from '../protocol/operation-table.ts';
import { getBucketAcl, getObjectAcl, putBucketAcl, putObjectAcl } from './acl/acl.ts';
import { deleteBucket, getBucketLocation, headBucket } from './bucket/bucket.ts';
import { CONFIGURATION_LISTS } from './bucket/settings/configuration-lists.ts';
import { createBucket } from './bucket/create-bucket.ts';
import { listObjects, listObjectsV2 } from './bucket/list-objects.ts';
import { listBuckets } from './bucket/list-buckets.ts';
import { listObjectVersions } from './bucket/list-object-versions.ts';
import { getBucketVersioning, putBucketVersioning } from './bucket/settings/bucket-versioning.ts';
import {
  getBucketNotificationConfiguration,
  putBucketNotificationConfiguration,
} from './bucket/settings/notification.ts';
import {
  deleteBucketInventoryConfiguration,
  getBucketInventoryConfiguration,
  listBucketInventoryConfigurations,
  putBucketInventoryConfiguration,
} from './bucket/settings/inventory.ts';
import { RESTATED_SETTINGS } from './bucket/settings/restated-settings.ts';
import { SETTINGS } from './bucket/settings/settings.ts';
import { UNSET_CONFIGURATIONS } from './bucket/settings/unset-configuration.ts';
import { listTagsForResource, tagResource, untagResource } from './control-tags.ts';
import { abortMultipartUpload } from './multipart/abort-multipart-upload.ts';
import { completeMultipartUpload } from './multipart/complete-multipart-upload.ts';
import { createMultipartUpload } from './multipart/create-multipart-upload.ts';
import { listMultipartUploads } from './multipart/list-multipart-uploads.ts';
import { listParts } from './multipart/list-parts.ts';
import { uploadPartCopy } from './multipart/upload-part-copy.ts';
import { uploadPart } from './multipart/upload-part.ts';
import { copyObject } from './object/copy-object.ts';
import { deleteObject } from './object/delete-object.ts';
import { deleteObjects } from './object/delete-objects.ts';
import { getObjectAttributes } from './object/get-object-attributes.ts';
import { getObject, headObject } from './object/get-object.ts';
import { getObjectLegalHold, putObjectLegalHold } from './object/object-legal-hold.ts';
import { getObjectRetention, putObjectRetention } from './object/object-retention.ts';
import { deleteObjectTagging, getObjectTagging, putObjectTagging } from './object/object-tagging.ts';
import { postObject } from './object/post-object.ts';
import { putObject } from './object/put-object.ts';
import { restoreObject } from './object/restore-object.ts';
import type { AnyOperation } from './operation.ts';
import { deleteBucketPolicy, getBucketPolicy, getBucketPolicyStatus, putBucketPolicy } from './policy/bucket-policy.ts';
import { preflight } from './preflight.ts';

/** The operations that the gateway has. A row of the operation table without an entry here answers NotImplemented. */
export const OPERATIONS: Readonly<Partial<Record<OperationName, AnyOperation>>> = {
  ...SETTINGS,
  ...UNSET_CONFIGURATIONS,
  ...RESTATED_SETTINGS,
  ...CONFIGURATION_LISTS,
  ListBuckets: { withoutBucket: listBuckets },
  CreateBucket: { withoutBucket: createBucket },
  HeadBucket: headBucket,
  DeleteBucket: deleteBucket,
  GetBucketLocation: getBucketLocation,
  OptionsBucket: { withoutBucket: preflight },
  OptionsObject: { withoutBucket: preflight },
  GetBucketAcl: getBucketAcl,
  PutBucketAcl: putBucketAcl,
  GetBucketVersioning: getBucketVersioning,
  PutBucketVersioning: putBucketVersioning,
  GetBucketNotificationConfiguration: getBucketNotificationConfiguration,
  PutBucketNotificationConfiguration: putBucketNotificationConfiguration,
  GetBucketInventoryConfiguration: getBucketInventoryConfiguration,
  PutBucketInventoryConfiguration: putBucketInventoryConfiguration,
  DeleteBucketInventoryConfiguration: deleteBucketInventoryConfiguration,
  ListBucketInventoryConfigurations: listBucketInventoryConfigurations,
  GetBucketPolicy: getBucketPolicy,
  PutBucketPolicy: putBucketPolicy,
  DeleteBucketPolicy: deleteBucketPolicy,
  GetBucketPolicyStatus: getBucketPolicyStatus,
  ListObjects: listObjects,
  ListObjectsV2: listObjectsV2,
  ListObjectVersions: listObjectVersions,
  PutObject: putObject,
  PostObject: { withoutBucket: postObject },
  GetObject: getObject,
  HeadObject: headObject,
  DeleteObject: deleteObject,
  DeleteObjects: deleteObjects,
  CopyObject: copyObject,
  RestoreObject: restoreObject,
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
