import type { Tag } from '../../protocol/tagging.ts';
import type { Acl } from '../../protocol/acl/acl.ts';
import type { Ownership, PublicAccessBlock } from '../../protocol/acl/ownership.ts';
import type { CorsRule } from '../../protocol/cors/cors-rule.ts';
import type { Inventory } from '../../protocol/inventory/inventory.ts';
import type { Lifecycle } from '../../protocol/lifecycle/lifecycle.ts';
import type { BucketLogging } from '../../protocol/logging/bucket-logging.ts';
import type { NotificationRule } from '../../protocol/notifications/notification-rule.ts';
import type { Website } from '../../protocol/website/website.ts';
import type { BucketLock } from '../../protocol/object-lock.ts';
import type { BlobStore, Revision } from '../../store/blob-store.ts';
import type { KeyTurns } from './key-turns.ts';
import type { StorageClasses } from './storage-classes.ts';
import type { Time } from './time.ts';

/** Versioning state: `never` until first enabled; afterwards only `enabled` and `suspended`. */
export type Versioning = 'never' | 'enabled' | 'suspended';

/** The place of a bucket in a backend. */
export interface BucketHome {
  /** Name of the backend in the configuration. */
  readonly backend: string;
  readonly store: BlobStore;
  /** User container: heads. Differs from the bucket's name when the service cannot hold that name. */
  readonly container: string;
  /** System container of the backend: records, versions, uploads. */
  readonly system: string;
  /** Turns of the backend's keys. */
  readonly queue?: KeyTurns;
  /** Clocks and timers of the process that serves the backend. */
  readonly time?: Time;
  /** The service's names of the KMS keys that clients may name. Absent: clients may name none. */
  readonly kmsKeys?: ReadonlyMap<string, string>;
  /** Absent: storage classes are labels. */
  readonly classes?: StorageClasses;
}

/** Kinds of encryption that a bucket can block. */
export const ENCRYPTION_TYPES = ['NONE', 'SSE-C'] as const;
export type EncryptionType = (typeof ENCRYPTION_TYPES)[number];

/** A bucket's settings for encryption at rest. */
export interface BucketEncryption {
  /**
   * The KMS key, by its name, that encrypts new objects unless the request says otherwise. Without `key` it is the
   * default KMS key. Absent: the service's own keys encrypt new objects.
   */
  readonly kms?: { readonly key?: string };
  readonly bucketKey: boolean;
  readonly blocked?: readonly EncryptionType[];
}

/** What clients set on a bucket, all of it kept in the bucket record. Absent is S3's "never set". */
export interface BucketSettings {
  /** By key; never empty. */
  readonly tags?: readonly Tag[];
  /** Absent: private to the owner. */
  readonly acl?: Acl;
  /** Absent: no ownership document, which is S3's `ObjectWriter`. */
  readonly ownership?: Ownership;
  readonly publicAccessBlock?: PublicAccessBlock;
  /** The bucket's policy: JSON of at most 20 KiB, as it was put. */
  readonly policy?: string;
  /** Present: object lock is on. */
  readonly objectLock?: BucketLock;
  /** Never empty. */
  readonly cors?: readonly CorsRule[];
  readonly website?: Website;
  readonly lifecycle?: Lifecycle;
  readonly logging?: BucketLogging;
  /** Never empty. */
  readonly notifications?: readonly NotificationRule[];
  /** By id; never empty. */
  readonly inventories?: readonly Inventory[];
  readonly encryption?: BucketEncryption;
  readonly accelerate?: 'Suspended';
  /** Access control by the tags of the bucket is on. */
  readonly abac?: true;
}

/** A bucket as its record says, cached for at most the record's time to live. */
export interface Bucket {
  readonly name: string;
  /** Random, new for each creation: two buckets of one name, one after the other, are not the same. */
  readonly uid: string;
  /** Canonical id of the owner's account. */
  readonly ownerId: string;
  /** `settings.acl`, where decisions on access look for it. */
  readonly acl?: Acl;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly versioning: Versioning;
  /**
   * Milliseconds since the epoch at which versioning left `never`; unconditional writes from before may land a while
   * after it. Absent: never versioned, or from the bucket's first moment on.
   */
  readonly versionedSince?: number;
  readonly settings: BucketSettings;
  readonly home: BucketHome;
  /** Revision of the record; absent for a container that has none (made by native tools). */
  readonly recordRevision?: Revision;
  /** A DeleteBucket has marked the bucket, and is at work or has died. Only another DeleteBucket sees such a bucket. */
  readonly isMarked?: true;
}
