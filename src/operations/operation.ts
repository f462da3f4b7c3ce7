import type { AccountDirectory, Principal } from '../access/accounts.ts';
import type { AskedRequest } from '../access/request-keys.ts';
import type { SignedFields } from '../auth/post-form.ts';
import type { Bucket, Manifest, Quotas } from '../manifest/index.ts';
import type { AccessPart } from '../observe/access-log/bucket-log.ts';
import type { Call } from '../observe/call.ts';
import type { CorsRule } from '../protocol/cors/cors-rule.ts';
import type { ChecksumAlgorithm } from '../protocol/checksums/algorithms.ts';
import type { DecidedOn } from '../protocol/operation-row.ts';
import type { OperationRow } from '../protocol/operation-table.ts';
import type { S3Request } from '../protocol/request.ts';
import type { S3Response } from '../protocol/response.ts';

/** How new buckets start. `open`: ACLs count and nothing is blocked. `aws`: as AWS makes them. */
export type NewBuckets = 'open' | 'aws';

/** The targets of events that the operator has named. */
export interface NotificationTargets {
  has(arn: string): boolean;
  /** Sends the message by which S3 tries a target. @throws Error: the target did not take it */
  greet(arn: string, message: string, call: Call): Promise<void>;
}

/** What Veeam's Smart Object Storage API (SOSAPI) says of a bucket. */
export interface VeeamBucket {
  /** Name and version of the product. */
  readonly model: string;
  /** Absent: nothing is said of its capacity. */
  readonly capacityBytes?: number;
}

/** Settings that change what operations answer; a slice of the configuration. */
export interface OperationSettings {
  readonly region: string;
  /** Serve clients whatever region they sign for and ask for; default false. */
  readonly acceptAnyRegion?: boolean;
  /** Allow UploadPartCopy ranges of sources up to 5 MiB (AWS does, the specification does not). */
  readonly smallRangeCopy: boolean;
  /** Bodies of up to this many bytes are held and verified whole before the one write that stores them. */
  readonly holdBytes: number;
  readonly newBuckets: NewBuckets;
  /** Buckets that must not be changed, by name; absent: none. */
  readonly isReadOnly?: (bucket: string) => boolean;
  /** The checksum that PutObject computes when the client declares none; absent: none. */
  readonly defaultChecksum?: ChecksumAlgorithm;
  /** Take keys of customers (SSE-C) over http, which S3 refuses; default false. */
  readonly customerKeysOverHttp?: boolean;
  /** Where events of buckets may be sent. Absent: nowhere. */
  readonly notificationTargets?: NotificationTargets;
  /** What Veeam is told of a bucket, by its name; undefined, or absent: nothing. */
  readonly veeam?: (bucket: string) => VeeamBucket | undefined;
  /** What may lie in buckets, and in all buckets of an account. Absent: any amount. */
  readonly quotas?: Pick<Quotas, 'isFor' | 'admit'>;
  /** For buckets without CORS rules of their own. */
  readonly cors: readonly CorsRule[];
}

/** What the gateway has for a request before it looks at any bucket; no Fastify, no SDK. */
export interface RequestContext {
  readonly call: Call;
  /** The `x-amz-id-2` of the answer. */
  readonly hostId: string;
  /** The row of the operation table that the request was classified as. */
  readonly operation: OperationRow;
  readonly principal: Principal;
  /** What the conditions of policies can ask of the request. */
  readonly asked: AskedRequest;
  readonly accounts: AccountDirectory;
  readonly manifest: Manifest;
  readonly settings: OperationSettings;
  /**
   * To be called when every check that can fail fast has passed and the rest may take long (CopyObject, UploadPartCopy,
   * CompleteMultipartUpload). From now on the gateway may send 200 and keep the connection alive with white space; a
   * later error travels in the body. Headers must be known by now; where the work begins anew, it is called again.
   * @throws S3Error SlowDown: other headers were sent meanwhile
   */
  mayTakeLong(headers?: Readonly<Record<string, string>>): void;
  /**
   * Finds out who sent the form that has these fields: the signer of its policy, else the signer of the request. From
   * now on the request counts against the limits of that sender.
   * @throws S3Error as authentication does; SlowDown
   */
  authenticateForm(fields: SignedFields): Principal;
  /**
   * To be called when a bucket is found that the request is about: if it keeps a server access log, that gets a record.
   * @param part absent: the record is about the whole request
   */
  logAccess(bucket: Bucket, part?: AccessPart): void;
  /**
   * To be called before the gateway looks at another bucket than the request's own. From now on the request counts
   * against the limits of both. @throws S3Error SlowDown
   */
  alsoOnBucket(bucket: string): void;
}

/** Everything that an operation may use. */
export interface OperationContext extends RequestContext {
  /** The one that the request names. */
  readonly bucket: Bucket;
  /**
   * What the decision whether the caller may waits for, by the row of the operation. Undefined: it is made, the caller
   * may.
   */
  readonly undecided: DecidedOn | undefined;
}

/**
 * One S3 operation on a bucket, or on what is in it. Its caller has been authenticated, the bucket is there, and the
 * caller may, unless `undecided` says what that depends on. @throws S3Error
 */
export type Operation = (request: S3Request, context: OperationContext) => Promise<S3Response>;

/** An operation that no bucket is looked for before: there is none, or it finds its bucket itself. @throws S3Error */
export type OperationWithoutBucket = (request: S3Request, context: RequestContext) => Promise<S3Response>;

export type AnyOperation = Operation | { readonly withoutBucket: OperationWithoutBucket };
