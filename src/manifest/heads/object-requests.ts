import type { Acl } from '../../protocol/acl/acl.ts';
import type { BodyFacts } from '../../protocol/body/object-body.ts';
import type { Checksum, ChecksumAlgorithm } from '../../protocol/checksums/algorithms.ts';
import type { WriteConditions } from '../../protocol/conditions.ts';
import type { CustomerKey } from '../../store/customer-key.ts';
import type { GatheredRemovals } from '../../store/gathered-removals.ts';
import type { BlobMetadata, ByteRange, ContentHeaders } from '../../store/blob-store.ts';
import type { OpenEndedBody, UploadBody } from '../../streams/bytes.ts';
import type { Bucket } from '../records/bucket.ts';
import type { VersionToken } from '../records/version-token.ts';
import type { Head, SeenHead } from './head.ts';
import type { HeadsByKey } from './heads-of-keys.ts';
import type { PartEntry } from '../records/field-codes.ts';
import type { Encryption, Piece } from '../records/encryption.ts';
import type { ObjectAttributes, ObjectView } from '../records/object-view.ts';
import type { KeyRef } from '../records/key-ref.ts';

/** A key, or one of its versions. */
export interface ObjectTarget extends KeyRef {
  /** `null` or a token; absent: the current version. */
  readonly versionId?: string | undefined;
}

/** What a new current version is made of, besides its bytes. */
export interface NewObject {
  readonly attributes: ObjectAttributes;
  /** Canonical id. */
  readonly ownerId: string;
  /** Absent: private to the owner. */
  readonly acl?: Acl;
  readonly conditions: WriteConditions;
  readonly checksum?: Checksum;
  /** Its bytes lie encrypted in pieces already: the blob itself has none. */
  readonly encryption?: Encryption;
  readonly pieces?: readonly Piece[];
}

/** Whose length is known before it is read, or shows at its end. */
export type AnyBody = UploadBody | OpenEndedBody;

export interface PutRequest<Body extends AnyBody = UploadBody> extends NewObject {
  readonly body: Body;
  /** Hex MD5 known before the first byte. */
  readonly md5?: string;
  /** Of a copy whose source's ETag is no MD5; otherwise the MD5 is the ETag. */
  readonly etag?: string;
  /** What verification finds, for streamed bodies: a trailer's checksum is recorded after the bytes. */
  readonly facts?: Promise<BodyFacts>;
  readonly keepApart?: KeepApart;
}

/** What a client's bytes are to be encrypted with. */
export type EncryptWith =
  | { readonly kind: 'customer'; readonly key: CustomerKey }
  /** A key's name as clients say it, and as the service knows it. */
  | { readonly kind: 'kms'; readonly key: string; readonly serviceKey: string };

/** Why a client's bytes are to lie apart from their record: under a key of their own, or in the tier `archive`. */
export type KeepApart = EncryptWith | { readonly kind: 'archive' };

export interface PutTarget<Body extends AnyBody = UploadBody> extends KeyRef {
  readonly request: PutRequest<Body>;
}

export function hasKnownSize(target: PutTarget<AnyBody>): target is PutTarget {
  return !('rest' in target.request.body);
}

/** An object whose bytes lie already where a version's bytes lie: at the version's own blob, with its record. */
export interface DetachedObject extends NewObject {
  /** Names that blob. */
  readonly version: VersionToken;
  readonly size: number;
  readonly etag: string;
  readonly parts?: readonly PartEntry[];
}

/** One that was put together from parts. */
export interface PublishRequest extends DetachedObject {
  /**
   * Whether the version's seq, which the initiation of the upload decided, was taken above a head that was read. If it
   * was not, the version may become the newest there, and nothing below another.
   */
  readonly placed: boolean;
  readonly once: PublishOnce;
  /** The head as the caller read it a moment ago: spares the first look, as the write is on condition of it. */
  readonly known?: SeenHead | undefined;
}

/** Lets any number of requests publish the same blob with the effect of one. */
export interface PublishOnce {
  /** The same for all of them. */
  readonly nonce: string;
  /** Asked on each head read before it is written: the version that the blob became already, at whatever time. */
  readonly happened: (head: Head | undefined) => Promise<VersionToken | undefined>;
  /** Names another place of the version. No other request ever takes it: it may be tidied up by the one that did. */
  readonly placeAt: (seq: number) => VersionToken;
  /** Writes down that the version is to have this place. @returns what has to stand on its blob there */
  readonly movesTo: (place: VersionToken) => Promise<BlobMetadata>;
  /** Told when a head may name the blob although no answer says so. */
  readonly onDoubt: () => void;
}

/** What stands on a version's own blob before it is published. */
export type VersionMetadata = Pick<
  PublishRequest,
  'attributes' | 'ownerId' | 'acl' | 'checksum' | 'etag' | 'size' | 'parts' | 'version' | 'encryption' | 'pieces'
>;

export interface DescribedVersion {
  readonly metadata: BlobMetadata;
  readonly headers: ContentHeaders;
}

export interface CopySourceView {
  readonly bucket: Bucket;
  readonly view: ObjectView;
  /** Of the client, for a source that is encrypted with it. */
  readonly key?: CustomerKey;
}

export interface CopyObjectRequest extends NewObject {
  readonly source: CopySourceView;
  /** True when the attributes are the source's: the service may copy them itself. */
  readonly sameAttributes: boolean;
  /** A checksum the source does not have: it is computed, so the bytes pass through the gateway. */
  readonly checksumAlgorithm?: ChecksumAlgorithm;
  readonly keepApart?: KeepApart;
}

/** A write that is durable and visible. */
export interface Committed {
  /** Without quotes. */
  readonly etag: string;
  /** Milliseconds, whole seconds. */
  readonly mtime: number;
  readonly checksum?: Checksum;
  /** `null` or a token. */
  readonly versionId: string;
  /** Of what was published, if the head names a private blob: its bytes are yet to be moved to the key. */
  readonly unsettled?: Unsettled;
}

interface Unsettled {
  /** The head as this request wrote it; absent when it is not known to be the one that is there. */
  readonly head?: Head;
}

export interface OpenRequest {
  readonly range?: ByteRange;
  /** Of the client, for bytes that are encrypted with it. */
  readonly key?: CustomerKey;
}

export interface RemoveRequest {
  readonly conditions: WriteConditions;
  /** Canonical id: who a delete marker belongs to. */
  readonly ownerId: string;
  /** Looks at the version that is to go for good, and throws to keep it. May be asked several times. */
  readonly guard?: (view: ObjectView) => void;
  /**
   * The key is one of many that the caller has looked at as a whole: the heads that it found. They spare the first
   * look, as the change is on condition of the head. What lies beside such a key says nothing of what is removed next.
   */
  readonly listing?: HeadsByKey;
  /** Sends the removals of many keys together. Absent: each is a call. */
  readonly removals?: GatheredRemovals;
  /** What must be true of the version by its id when it is removed; else PreconditionFailed. For lifecycle rules. */
  readonly standing?: Standing;
}

/** The place that a version has among the versions of its key. */
export interface Standing {
  /** Last-Modified of the version; milliseconds. The null version may be another one by now. */
  readonly mtime: number;
  /**
   * A version that was current when this one was not. As long as it is there, this one has not been current since.
   * Absent: the version is a delete marker, current, and the only version of its key.
   */
  readonly beneath?: VersionPlace;
  /** Others that are there: this one goes only while they stay. */
  readonly besides?: readonly VersionPlace[];
}

/** A version as listings show it; the null version may be another one by now. */
export interface VersionPlace {
  readonly versionId: string;
  /** Last-Modified; milliseconds. */
  readonly mtime: number;
}

export interface Removed {
  /** A marker was made, or the version that went was one. */
  readonly deleteMarker: boolean;
  /** Of the marker that was made, or as it was asked for; undefined in a bucket that never had versioning. */
  readonly versionId?: string;
}
