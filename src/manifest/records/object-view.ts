import type { BlobRef, ContentHeaders, Revision } from '../../store/blob-store.ts';
import type { FieldsOf } from './record-fields.ts';
import type { HeadKind } from './record.ts';

/**
 * Everything S3 lets a client say about an object when it is made. What is no content header and no user metadata is a
 * field of its record.
 */
export interface ObjectAttributes extends FieldsOf<'said'> {
  readonly headers: ContentHeaders;
  /** Names lower-case without the `x-amz-meta-` prefix. */
  readonly userMetadata: Readonly<Record<string, string>>;
}

/** An object version as readers see it, whatever shape it has in the backend. */
export interface ObjectView extends ObjectAttributes, FieldsOf<'shown'> {
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
  /** Bytes in an offline tier: 403 InvalidObjectState. */
  readonly archived: boolean;
  /** Hex MD5 of the whole object when known: what a server-side copy of all of it has as ETag. */
  readonly md5?: string;
  /**
   * Where the bytes lie; the revision is known when they lie at the key itself (a private blob never changes its
   * bytes).
   */
  readonly bytes: { readonly ref: BlobRef; readonly revision?: Revision };
  /** The head that was read: what a condition on "this state of the key" pins. */
  readonly head: { readonly kind: HeadKind; readonly revision: Revision };
}
