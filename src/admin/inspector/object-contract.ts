/** One key as the manifest has it. Reading it changes nothing. */
export interface ObjectInspection {
  readonly bucket: {
    readonly name: string;
    readonly backend: string;
    readonly container: string;
    readonly versioning: 'never' | 'enabled' | 'suspended';
    readonly ownerId: string;
  };
  readonly key: string;
  /** Absent: there is no blob at the key's name. */
  readonly head?: InspectedHead;
  /** All that a listing of versions would show, newest first, and blobs of the key that no listing shows. */
  readonly versions: readonly ShownVersion[];
  /** There are more than `versions`. */
  readonly moreVersions: boolean;
  /** Open multipart uploads of the key. */
  readonly uploads: readonly ShownUpload[];
  /** There are more than `uploads`. */
  readonly moreUploads: boolean;
  /** What may surprise, in sentences: an unsettled object, a log not redone, a native blob. */
  readonly remarks: readonly string[];
}

export interface InspectedHead {
  /**
   * `inline`: bytes at the key. `link`: names the current version's blob. `assembled`: a multipart object not settled
   * yet. `marker`: delete marker. `void`: nothing left.
   */
  readonly kind: 'inline' | 'link' | 'assembled' | 'marker' | 'void';
  /** Name of the blob in the container. */
  readonly blob: string;
  readonly revision: string;
  readonly lastModified: number;
  readonly blobSize: number;
  /** Written by a tool of the cloud: there is no record. */
  readonly native: boolean;
  /** Version whose own blob the head names. */
  readonly version?: string;
  readonly nullVersion?: string;
  /** Versions committed below the head and perhaps not stamped; versions deleted whose blobs may still be there. */
  readonly adds: readonly string[];
  readonly dels: readonly string[];
  /** A multipart object whose bytes still lie on a private blob: `pending`; else nothing is to be settled. */
  readonly settle: 'none' | 'pending';
}

export interface ShownVersion {
  /** `null`, or S3's version id. */
  readonly versionId: string;
  readonly isCurrent: boolean;
  readonly isDeleteMarker: boolean;
  /** False: a blob that no reader counts (not committed, or deleted); a sweep removes it in time. */
  readonly visible: boolean;
  /** Its own blob says that it was current once: from then on it counts, whatever the head says. */
  readonly stamped?: boolean;
  /** Of the upload that made it, what it was last claimed for: `busy`, `refused`, `gone`, `abort`. */
  readonly claim?: string;
  /** Why not all of it could be read. */
  readonly problem?: string;
  readonly mtime?: number;
  readonly size?: number;
  readonly etag?: string;
  readonly storageClass?: string;
  readonly ownerId?: string;
  /** Absent: private to the owner. */
  readonly acl?: readonly { readonly grantee: string; readonly permission: string }[];
  readonly tags: readonly { readonly key: string; readonly value: string }[];
  readonly lock?: { readonly mode?: string; readonly retainUntil?: number; readonly legalHold: boolean };
  readonly checksum?: { readonly algorithm: string; readonly type: string; readonly value: string };
  readonly parts?: readonly { readonly number: number; readonly size: number; readonly checksum?: string }[];
  readonly headers: Readonly<Record<string, string>>;
  readonly userMetadata: Readonly<Record<string, string>>;
  /** Where the bytes, or the marker's record, lie. */
  readonly blob: { readonly container: string; readonly name: string; readonly revision?: string };
}

export interface ShownUpload {
  readonly uploadId: string;
  /** Version that it would become; its parts are staged beside that version's blob. */
  readonly becomes: string;
  /** Absent: it is neither being completed nor aborted. Else `busy`, `refused`, `gone`, `abort`. */
  readonly claim?: string;
  readonly initiated: number;
  readonly ownerId: string;
  readonly initiator?: string;
  readonly storageClass?: string;
  readonly checksum?: { readonly algorithm: string; readonly type: string };
  readonly parts: readonly {
    readonly number: number;
    readonly size: number;
    readonly etag: string;
    readonly mtime: number;
    readonly checksum?: string;
  }[];
  readonly moreParts: boolean;
}
