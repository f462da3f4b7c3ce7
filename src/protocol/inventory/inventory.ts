/**
 * What a report may say of a version besides its bucket and key, in the order in which reports have it.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_InventoryConfiguration.html
 */
export const OPTIONAL_FIELDS = [
  'Size',
  'LastModifiedDate',
  'ETag',
  'StorageClass',
  'IsMultipartUploaded',
  'ReplicationStatus',
  'EncryptionStatus',
  'ObjectLockRetainUntilDate',
  'ObjectLockMode',
  'ObjectLockLegalHoldStatus',
  'IntelligentTieringAccessTier',
  'BucketKeyStatus',
  'ChecksumAlgorithm',
  'ObjectAccessControlList',
  'ObjectOwner',
  'LifecycleExpirationDate',
] as const;
export type OptionalField = (typeof OPTIONAL_FIELDS)[number];

/** Formats that reports are written in. S3 has ORC besides. */
export const INVENTORY_FORMATS = ['CSV', 'Parquet'] as const;
export type InventoryFormat = (typeof INVENTORY_FORMATS)[number];

export const FREQUENCIES = ['Daily', 'Weekly'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

/** One inventory of a bucket, as a client has put it. */
export interface Inventory {
  readonly id: string;
  readonly isEnabled: boolean;
  readonly versions: 'All' | 'Current';
  /** Only keys that begin with it. Absent: no filter was put. */
  readonly prefix?: string;
  /** As they were put, in that order; absent: none were. */
  readonly fields?: readonly OptionalField[];
  readonly frequency: Frequency;
  readonly destination: InventoryDestination;
}

/** Where reports go. */
export interface InventoryDestination {
  /** ARN of a bucket, as it was put. */
  readonly bucketArn: string;
  readonly format: InventoryFormat;
  /** Twelve digits: whose the bucket has to be. */
  readonly accountId?: string;
  /** Of the keys of all reports. */
  readonly prefix?: string;
  /** Absent: as the bucket encrypts by default. */
  readonly encryption?: { readonly kind: 's3' } | { readonly kind: 'kms'; readonly keyId: string };
}

/** Of one bucket. https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketInventoryConfiguration.html */
export const MAX_INVENTORIES = 1000;
/** All of one bucket, as JSON. They are part of its record, which every process holds. Characters. */
export const MAX_INVENTORIES_LENGTH = 512 * 1024;

const BUCKET_ARN = /^arn:aws(-[a-z-]{1,20})?:s3:::(?<name>[^/:]+)$/;

/** The name in the ARN of a bucket; undefined: it is none. */
export function bucketOfArn(arn: string): string | undefined {
  return BUCKET_ARN.exec(arn)?.groups?.['name'];
}
