/** `GET /api/buckets?prefix=&after=&limit=`: buckets of all backends and accounts, by name. */
export interface BucketList {
  readonly buckets: readonly ShownBucket[];
  /** There are more; ask again with `after` set to the last name. */
  readonly more: boolean;
}

export interface ShownBucket {
  readonly name: string;
  readonly createdAt: number;
  readonly backend: string;
  /** Name of the owner's account; its canonical id, if the configuration has no such account. */
  readonly account: string;
}

/**
 * `GET /api/buckets/:bucket/keys?prefix=&delimiter=&versions=&after=&afterVersion=&limit=`: a page of a bucket, in S3's
 * order, as its listings have it. With `versions=true` all versions and delete markers, newest first within a key.
 */
export interface KeyList {
  /** As it was asked for. */
  readonly bucket: string;
  readonly versioning: 'never' | 'enabled' | 'suspended';
  readonly entries: readonly ShownEntry[];
  /** `after` and `afterVersion` of the next page; absent: this is the last one. */
  readonly next?: string;
  readonly nextVersion?: string;
}

export interface ShownEntry {
  /** `prefix`: stands for all keys that begin so. */
  readonly kind: 'prefix' | 'object' | 'version' | 'marker';
  readonly key: string;
  readonly versionId?: string;
  readonly isLatest?: boolean;
  readonly size?: number;
  readonly mtime?: number;
  readonly etag?: string;
  /** Absent: STANDARD, and of what has none. */
  readonly storageClass?: string;
}
