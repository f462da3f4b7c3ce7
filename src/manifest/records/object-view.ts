import type { BlobRef, ContentHeaders, Revision } from '../../store/blob-store.ts';
import type { FieldsOf } from './record-fields.ts';
import type { HeadKind } from './record.ts';

/**
 * Everything that a client can say about an object when it makes it: content headers, user metadata, and the record's
 * fields `said`.
 */
export interface ObjectAttributes extends FieldsOf<'said'> {
  readonly headers: ContentHeaders;
  /** Names lower-case without the `x-amz-meta-` prefix. */
  readonly userMetadata: Readonly<Record<string, string>>;
}

/** An object version as readers see it, however the backend stores it. */
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
  /** The bytes are in an offline tier; reading them answers 403 InvalidObjectState. */
  readonly archived: boolean;
  /** Hex MD5 of the whole object when known. A server-side copy of the whole object has it as its ETag. */
  readonly md5?: string;
  /**
   * Where the bytes lie. `revision` is present when they lie at the key itself; a private blob's bytes never change, so
   * reading them needs no revision.
   */
  readonly bytes: { readonly ref: BlobRef; readonly revision?: Revision };
  /** The head that was read. Its revision makes a write conditional on this state of the key. */
  readonly head: { readonly kind: HeadKind; readonly revision: Revision };
}
