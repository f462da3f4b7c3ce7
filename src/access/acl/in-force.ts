import { isPublicGrant } from '../../protocol/acl/acl.ts';
import type { Ownership, PublicAccessBlock } from '../../protocol/acl/ownership.ts';
import type { Tag } from '../../protocol/tagging.ts';
import type { Owned } from './permits.ts';

/** A bucket with the settings that decide what ACLs in it are worth. */
export interface OwningBucket extends Owned {
  readonly name: string;
  readonly settings: {
    readonly ownership?: Ownership;
    readonly publicAccessBlock?: PublicAccessBlock;
    /** JSON, as it was put. */
    readonly policy?: string;
    /** Tags of the bucket count in conditions. */
    readonly abac?: true;
    readonly tags?: readonly Tag[];
  };
}

/**
 * Owner and ACL of a bucket, or of an object in it, as they are shown: where the owner of the bucket owns
 * everything in it, ACLs that are stored say nothing.
 */
export function owned({ ownerId, acl }: Owned, bucket: OwningBucket): Owned {
  if (bucket.settings.ownership === 'BucketOwnerEnforced') return { ownerId: bucket.ownerId };
  return { ownerId, acl };
}

/** As `owned`, with nothing but the grants that count. */
export function inForce(thing: Owned, bucket: OwningBucket): Owned {
  const { ownerId, acl } = owned(thing, bucket);
  if (acl === undefined || bucket.settings.publicAccessBlock?.ignorePublicAcls !== true) return { ownerId, acl };
  return { ownerId, acl: acl.filter((grant) => !isPublicGrant(grant)) };
}
