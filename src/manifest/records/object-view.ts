import type { Acl } from '../../protocol/acl/acl.ts';
import type { Checksum } from '../../protocol/checksums/algorithms.ts';
import type { ObjectLock } from '../../protocol/object-lock.ts';
import type { Tag } from '../../protocol/tagging.ts';
import type { BlobRef, ContentHeaders, Revision } from '../../store/blob-store.ts';

/** One part of a completed multipart object; `number` as the client gave it. */
export interface PartEntry {
  readonly number: number;
  readonly size: number;
  /** Base64, of the object's checksum algorithm; absent when parts have none. */
  readonly checksum?: string;
}

/** Everything S3 lets a client say about an object when it is made. */
export interface ObjectAttributes {
  readonly headers: ContentHeaders;
  /** `Expires` header, byte for byte. */
  readonly expires?: string;
  /** Names lower-case without the `x-amz-meta-` prefix. */
  readonly userMetadata: Readonly<Record<string, string>>;
  /** Absent: STANDARD. */
  readonly storageClass?: string;
  readonly websiteRedirect?: string;
  /** By key. Absent: none. */
  readonly tags?: readonly Tag[];
  /** Absent: nothing keeps it. */
  readonly lock?: ObjectLock;
}

/** An object version as readers see it, whatever shape it has in the backend. */
export interface ObjectView extends ObjectAttributes {
  readonly key: string;
  /** `null`, or the version's token. Answers name it only in buckets that ever had versioning. */
  readonly versionId: string;
  /** Without quotes. */
  readonly etag: string;
  readonly size: number;
  /** S3's Last-Modified in milliseconds, whole seconds. */
  readonly mtime: number;
  /** Canonical id of the object's owner. */
  readonly ownerId: string;
  /** Absent: private to the owner. */
  readonly acl?: Acl;
  readonly checksum?: Checksum;
  /** Only for objects made by CompleteMultipartUpload. */
  readonly parts?: readonly PartEntry[];
  /** Bytes in an offline tier: 403 InvalidObjectState. */
  readonly archived: boolean;
  /** Hex MD5 of the whole object when known: what a server-side copy of all of it has as ETag. */
  readonly md5?: string;
  /** Where the bytes lie; the revision is known when they lie at the key itself (a private blob never changes its bytes). */
  readonly bytes: { readonly ref: BlobRef; readonly revision?: Revision };
  /** The head that was read: what a condition on "this state of the key" pins. */
  readonly head: { readonly kind: HeadKind; readonly revision: Revision };
}

/** Kinds of a head; see the commit protocol in ARCHITECTURE.md. */
export type HeadKind = 'inline' | 'link' | 'mlink' | 'tomb' | 'void';
