import type { Acl } from '../../protocol/acl/acl.ts';
import type { BodyFacts } from '../../protocol/body/object-body.ts';
import type { Checksum, ChecksumAlgorithm } from '../../protocol/checksums/algorithms.ts';
import type { WriteConditions } from '../../protocol/conditions.ts';
import type { ByteRange, BlobRef } from '../../store/blob-store.ts';
import type { UploadBody } from '../../streams/bytes.ts';
import type { Bucket } from '../buckets/bucket.ts';
import type { Head } from './head.ts';
import type { ObjectAttributes, ObjectView, PartEntry } from './object-view.ts';

/** What a new current version is made of, besides its bytes. */
export interface NewObject {
  readonly attributes: ObjectAttributes;
  /** Canonical id. */
  readonly ownerId: string;
  /** Absent: private to the owner. */
  readonly acl?: Acl;
  readonly conditions: WriteConditions;
  readonly checksum?: Checksum;
}

export interface PutRequest extends NewObject {
  readonly body: UploadBody;
  /** Hex MD5 known before the first byte. */
  readonly md5?: string;
  /** What verification finds, for streamed bodies: a trailer's checksum is recorded after the bytes. */
  readonly facts?: Promise<BodyFacts>;
}

export interface PutTarget {
  readonly bucket: Bucket;
  readonly key: string;
  readonly request: PutRequest;
}

/** Bytes that already lie on a private blob and become the object by one conditional write of the head. */
export interface PublishRequest extends NewObject {
  /** Private blob, in the system container of the bucket's backend. */
  readonly blob: BlobRef;
  readonly size: number;
  readonly etag: string;
  readonly parts?: readonly PartEntry[];
  /** Place among the versions; an upload's is decided by its initiation. */
  readonly seq: number;
  readonly once?: PublishOnce;
}

/** Lets any number of requests publish the same blob with the effect of one. */
export interface PublishOnce {
  /** The same for all of them. */
  readonly nonce: string;
  /** Asked on each head read before it is written: true when the blob was the object already, at whatever time. */
  readonly happened: (head: Head | undefined) => Promise<boolean>;
}

export interface CopySourceView {
  readonly bucket: Bucket;
  readonly view: ObjectView;
}

export interface CopyObjectRequest extends NewObject {
  readonly source: CopySourceView;
  /** True when the attributes are the source's: the service may copy them itself. */
  readonly sameAttributes: boolean;
  /** A checksum the source does not have: it is computed, so the bytes pass through the gateway. */
  readonly checksumAlgorithm?: ChecksumAlgorithm;
}

/** A write that is durable and visible. */
export interface Committed {
  /** Without quotes. */
  readonly etag: string;
  /** Milliseconds, whole seconds. */
  readonly mtime: number;
  readonly checksum?: Checksum;
}

export interface OpenRequest {
  readonly range?: ByteRange;
}
