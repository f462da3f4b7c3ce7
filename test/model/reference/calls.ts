/**
 * The S3 calls on one bucket that the reference answers. Version ids, upload ids and continuation
 * tokens in calls and answers are the reference's own: they begin with `@`, and whoever compares
 * with a real server finds out which of the server's they stand for.
 */
interface Calls {
  PutBucketVersioning: { readonly status: 'Enabled' | 'Suspended' };
  GetBucketVersioning: object;
  PutObjectLockConfiguration: { readonly byDefault?: { readonly mode: LockMode; readonly days: number } };
  GetObjectLockConfiguration: object;
  PutObject: Named & Attributes & WriteConditions & { readonly body: string };
  GetObject: NamedVersion & ReadConditions & { readonly range?: string; readonly partNumber?: number };
  HeadObject: NamedVersion & ReadConditions & { readonly range?: string; readonly partNumber?: number };
  GetObjectAttributes: NamedVersion;
  CopyObject: Named &
    Attributes &
    WriteConditions & {
      readonly source: NamedVersion;
      readonly sourceConditions: ReadConditions;
      readonly replaceMetadata?: boolean;
      readonly replaceTags?: boolean;
    };
  DeleteObject: NamedVersion & Bypass & { readonly ifMatch?: string };
  DeleteObjects: Bypass & { readonly objects: readonly NamedVersion[]; readonly quiet: boolean };
  GetObjectTagging: NamedVersion;
  PutObjectTagging: NamedVersion & { readonly tags: Tags };
  DeleteObjectTagging: NamedVersion;
  GetObjectAcl: NamedVersion;
  PutObjectAcl: NamedVersion & { readonly acl: string };
  GetObjectRetention: NamedVersion;
  PutObjectRetention: NamedVersion & Bypass & { readonly retention: Retention };
  GetObjectLegalHold: NamedVersion;
  PutObjectLegalHold: NamedVersion & { readonly hold: LegalHold };
  CreateMultipartUpload: Named & Attributes;
  UploadPart: NamedUpload & { readonly number: number; readonly body: string };
  UploadPartCopy: NamedUpload & { readonly number: number; readonly source: NamedVersion; readonly range?: string };
  CompleteMultipartUpload: NamedUpload & WriteConditions & { readonly parts: readonly ListedPart[] };
  AbortMultipartUpload: NamedUpload;
  ListParts: NamedUpload & { readonly maxParts?: number; readonly partNumberMarker?: number };
  ListMultipartUploads: Page & { readonly keyMarker?: string; readonly uploadIdMarker?: string };
  ListObjects: Page & { readonly marker?: string };
  ListObjectsV2: Page & { readonly startAfter?: string; readonly continuationToken?: string };
  ListObjectVersions: Page & { readonly keyMarker?: string; readonly versionIdMarker?: string };
}

type Op = keyof Calls;
export type CallOf<O extends Op> = { [P in O]: { readonly op: P } & Calls[P] }[O];
export type Call = CallOf<Op>;

/** Something for every operation. */
export type PerCall<T> = { readonly [O in Op]: (call: CallOf<O>) => T };

export function perCall<O extends Op, T>(table: PerCall<T>, call: CallOf<O>): T {
  return table[call.op](call);
}

interface Named {
  readonly key: string;
}

export interface NamedVersion extends Named {
  readonly versionId?: string;
}

export interface NamedUpload extends Named {
  readonly uploadId: string;
}

export type Tags = Readonly<Record<string, string>>;

/** What a new object is given besides its bytes. */
export interface Attributes {
  readonly contentType?: string;
  /** Value of `x-amz-meta-note`. */
  readonly note?: string;
  readonly storageClass?: string;
  readonly tags?: Tags;
  /** A canned one. */
  readonly acl?: string;
  readonly retention?: Retention;
  readonly hold?: LegalHold;
}

export type LockMode = 'GOVERNANCE' | 'COMPLIANCE';
export type LegalHold = 'ON' | 'OFF';

export interface Retention {
  readonly mode: LockMode;
  /** As `Date.prototype.toISOString` writes it. */
  readonly until: string;
}

export interface Bypass {
  /** `x-amz-bypass-governance-retention`, by somebody who may. */
  readonly bypass?: boolean;
}

/** ETags in quotes, or `*`. */
export interface WriteConditions {
  readonly ifMatch?: string;
  readonly ifNoneMatch?: string;
}

export type ReadConditions = WriteConditions;

export interface ListedPart {
  readonly number: number;
  readonly etag: string;
}

export interface Page {
  readonly prefix?: string;
  readonly delimiter?: string;
  /** max-keys or max-uploads. */
  readonly limit?: number;
}
