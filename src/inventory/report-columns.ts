import { owned } from '../access/acl/in-force.ts';
import {
  type Bucket,
  type ListedMarker,
  type ListedVersion,
  type ObjectView,
  storageClassOf,
} from '../manifest/index.ts';
import { type Acl, PRIVATE, uriOfGroup } from '../protocol/acl/acl.ts';
import type { Inventory, OptionalField } from '../protocol/inventory/inventory.ts';
import { expirationOf } from '../protocol/lifecycle/due.ts';

/** A version or delete marker that a report lists. */
export interface InventoryRow {
  readonly bucket: Bucket;
  readonly entry: ListedVersion | ListedMarker;
  /** Undefined: a delete marker. */
  readonly view: ObjectView | undefined;
}

/** How a column's values are written; `time` is in milliseconds since 1970. */
export type ColumnKind = 'text' | 'flag' | 'number' | 'time';

/** Undefined: the version has nothing there. */
export type CellValue = string | number | boolean | undefined;

export interface ReportColumn {
  readonly name: string;
  /** Of the column in Parquet. */
  readonly parquet: string;
  readonly kind: ColumnKind;
  readonly of: (row: InventoryRow) => CellValue;
}

const BUCKET_COLUMN: ReportColumn = {
  name: 'Bucket',
  parquet: 'bucket',
  kind: 'text',
  of: ({ bucket }) => bucket.name,
};
const KEY_COLUMN: ReportColumn = { name: 'Key', parquet: 'key', kind: 'text', of: ({ entry }) => entry.key };

/** Of reports that list all versions. */
const VERSION_COLUMNS: readonly ReportColumn[] = [
  { name: 'VersionId', parquet: 'version_id', kind: 'text', of: versionId },
  { name: 'IsLatest', parquet: 'is_latest', kind: 'flag', of: ({ entry }) => entry.isLatest },
  { name: 'IsDeleteMarker', parquet: 'is_delete_marker', kind: 'flag', of: ({ view }) => view === undefined },
];

/**
 * The optional columns, in the order in which reports have them.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-inventory.html#storage-inventory-contents
 */
const OPTIONAL_COLUMNS: Readonly<Record<OptionalField, Omit<ReportColumn, 'name'>>> = {
  Size: { parquet: 'size', kind: 'number', of: ({ view }) => view?.size },
  LastModifiedDate: { parquet: 'last_modified_date', kind: 'time', of: ({ entry }) => entry.mtime },
  ETag: { parquet: 'e_tag', kind: 'text', of: ({ view }) => view?.etag },
  StorageClass: { parquet: 'storage_class', kind: 'text', of: ({ view }) => view && storageClassOf(view) },
  IsMultipartUploaded: { parquet: 'is_multipart_uploaded', kind: 'flag', of: ({ view }) => view && isMultipart(view) },
  // There is no replication.
  ReplicationStatus: { parquet: 'replication_status', kind: 'text', of: () => undefined },
  EncryptionStatus: { parquet: 'encryption_status', kind: 'text', of: ({ view }) => view && encryptionStatus(view) },
  ObjectLockRetainUntilDate: {
    parquet: 'object_lock_retain_until_date',
    kind: 'time',
    of: ({ view }) => view?.lock?.retention?.until,
  },
  ObjectLockMode: { parquet: 'object_lock_mode', kind: 'text', of: ({ view }) => view?.lock?.retention?.mode },
  ObjectLockLegalHoldStatus: {
    parquet: 'object_lock_legal_hold_status',
    kind: 'text',
    of: ({ view }) => view && (view.lock?.legalHold === true ? 'ON' : 'OFF'),
  },
  // Bytes of this class are not moved by who reads them: they stay where they were put.
  IntelligentTieringAccessTier: {
    parquet: 'intelligent_tiering_access_tier',
    kind: 'text',
    of: ({ view }) => (view?.storageClass === 'INTELLIGENT_TIERING' ? 'FREQUENT' : undefined),
  },
  // S3 Bucket Keys are refused when an object is made.
  BucketKeyStatus: { parquet: 'bucket_key_status', kind: 'text', of: ({ view }) => view && 'DISABLED' },
  ChecksumAlgorithm: { parquet: 'checksum_algorithm', kind: 'text', of: ({ view }) => view?.checksum?.algorithm },
  ObjectAccessControlList: { parquet: 'object_access_control_list', kind: 'text', of: aclText },
  ObjectOwner: {
    parquet: 'object_owner',
    kind: 'text',
    of: ({ view, bucket }) => view && owned(view, bucket).ownerId,
  },
  LifecycleExpirationDate: { parquet: 'lifecycle_expiration_date', kind: 'time', of: expirationDate },
};

/** The columns of an inventory's reports, in their order. */
export function columnsOf({ versions, fields = [] }: Pick<Inventory, 'versions' | 'fields'>): readonly ReportColumn[] {
  const optional = Object.entries(OPTIONAL_COLUMNS)
    .filter(([name]) => fields.some((field) => field === name))
    .map(([name, column]) => ({ name, ...column }));
  return [BUCKET_COLUMN, KEY_COLUMN, ...(versions === 'All' ? VERSION_COLUMNS : []), ...optional];
}

/** Fields that change on a version after it was made, or may not have room in what a listing shows. */
const AMENDABLE: readonly OptionalField[] = [
  'ObjectLockRetainUntilDate',
  'ObjectLockMode',
  'ObjectLockLegalHoldStatus',
  'ObjectAccessControlList',
];

/** Whether a report needs all that is said of a version: what a listing shows in part has to be read then. */
export function needsWhole({ fields = [] }: Pick<Inventory, 'fields'>, { settings }: Bucket): boolean {
  if (AMENDABLE.some((field) => fields.includes(field))) return true;
  // Rules may ask for tags.
  return fields.includes('LifecycleExpirationDate') && settings.lifecycle !== undefined;
}

/** Buckets that never had versions have none to name. */
function versionId({ bucket, entry }: InventoryRow): CellValue {
  return bucket.versioning === 'never' ? undefined : entry.versionId;
}

/** Parts may have spilled; the ETag says as much. One that ends with `-0` is of a blob that other tools wrote. */
function isMultipart({ parts, etag }: ObjectView): boolean {
  return parts !== undefined || /-[1-9]\d*$/.test(etag);
}

function encryptionStatus({ encryption }: ObjectView): string {
  if (encryption?.by.kind === 'customer') return 'SSE-C';
  return encryption?.by.kind === 'kms' ? 'SSE-KMS' : 'SSE-S3';
}

/**
 * The ACL as JSON in base64.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/objectacl.html
 */
function aclText({ bucket, view }: InventoryRow): CellValue {
  if (view === undefined) return undefined;
  const { ownerId, acl = PRIVATE } = owned(view, bucket);
  const document = { version: '2022-11-10', status: 'AVAILABLE', grants: grantsOf(acl, ownerId) };
  return Buffer.from(JSON.stringify(document)).toString('base64');
}

function grantsOf(acl: Acl, ownerId: string): readonly Readonly<Record<string, string>>[] {
  return acl.map(({ grantee, permission }) =>
    grantee.kind === 'group'
      ? { uri: uriOfGroup(grantee.group), type: 'Group', permission }
      : { canonicalId: grantee.kind === 'owner' ? ownerId : grantee.id, type: 'CanonicalUser', permission },
  );
}

/** When a rule removes the current object, or puts a marker over it. */
function expirationDate({ bucket, entry, view }: InventoryRow): CellValue {
  const { lifecycle } = bucket.settings;
  if (lifecycle === undefined || view === undefined || !entry.isLatest) return undefined;
  return expirationOf(lifecycle, view)?.at;
}
