import type { Call } from '../observe/call.ts';
import type { BodyFacts } from '../protocol/body/object-body.ts';
import type { Checksum, ChecksumAlgorithm } from '../protocol/checksums/algorithms.ts';
import type { WriteConditions } from '../protocol/conditions.ts';
import type { ByteRange, BlobRef } from '../store/blob-store.ts';
import type { ByteSource, UploadBody } from '../streams/bytes.ts';
import type { Bucket } from './bucket.ts';
import type { Clock } from './clock.ts';
import type { Head } from './head.ts';
import { copyObject } from './object-copy.ts';
import { publishObject } from './object-publish.ts';
import { findObject, openObject, openView } from './object-read.ts';
import { removeObject } from './object-remove.ts';
import type { ObjectAttributes, ObjectView, PartEntry } from './object-view.ts';
import { putObject } from './object-write.ts';
import type { Settler } from './settle.ts';

/** What a new current version is made of, besides its bytes. */
export interface NewObject {
  readonly attributes: ObjectAttributes;
  /** Canonical id. */
  readonly ownerId: string;
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

/**
 * Objects of buckets, current versions. Every change of a key is one write of its head
 * (docs/decisions/0002-commit-protocol.md).
 */
export interface Objects {
  /** @throws S3Error NoSuchKey, NoSuchBucket */
  find(bucket: Bucket, key: string, call: Call): Promise<ObjectView>;
  /** Properties and bytes in one backend call where possible. @throws as `find`; StoreError rangeNotSatisfiable */
  open(bucket: Bucket, key: string, request: OpenRequest, call: Call): Promise<{ view: ObjectView; body: ByteSource }>;
  /** Bytes of a view read before; StoreError conditionFailed or notFound when the object has changed since. */
  openView(bucket: Bucket, view: ObjectView, request: OpenRequest, call: Call): Promise<ByteSource>;
  /** @throws S3Error PreconditionFailed, ConditionalRequestConflict, NoSuchKey (If-Match), NoSuchBucket */
  put(bucket: Bucket, key: string, request: PutRequest, call: Call): Promise<Committed>;
  publish(bucket: Bucket, key: string, request: PublishRequest, call: Call): Promise<Committed>;
  copy(bucket: Bucket, key: string, request: CopyObjectRequest, call: Call): Promise<Committed>;
  /** @returns false when there was nothing. @throws S3Error PreconditionFailed */
  remove(bucket: Bucket, key: string, conditions: WriteConditions, call: Call): Promise<boolean>;
}

/** What the object functions share. */
export interface ObjectsContext {
  readonly clock: Clock;
  readonly settler: Settler;
}

export function createObjects(context: ObjectsContext): Objects {
  return {
    find: (bucket, key, call) => findObject(bucket, key, call),
    open: (bucket, key, request, call) => openObject(bucket, key, request, call),
    openView: (bucket, view, request, call) => openView(bucket, view, request, call),
    put: (bucket, key, request, call) => putObject(context, { bucket, key, request }, call),
    publish: (bucket, key, request, call) => publishObject(context, { bucket, key, request }, call),
    copy: (bucket, key, request, call) => copyObject(context, { bucket, key, request }, call),
    remove: (bucket, key, conditions, call) => removeObject(context, { bucket, key, conditions }, call),
  };
}
