import type { BlobRef, Revision } from '../../store/blob-store.ts';
import type { Head } from '../heads/head.ts';
import type { ObjectView } from '../records/object-view.ts';
import type { VersionToken } from '../records/version-token.ts';
import type { Claim } from '../versions/upload-claim.ts';
import type { PartRecord } from '../records/upload-part-record.ts';
import type { UploadSummary } from '../records/upload-record.ts';
import type { KeyRef } from '../records/key-ref.ts';

/** One key as it lies in the backend, for a person to look at. Its parts were read one after the other. */
export interface InspectedKey extends KeyRef {
  /** Absent: there is no blob at the key's name. */
  readonly head: Head | undefined;
  /** The current version, then all own blobs of versions, newest first, including those that no reader counts. */
  readonly versions: readonly InspectedVersion[];
  /** There are more own blobs than were looked at. */
  readonly moreVersions: boolean;
  readonly uploads: readonly InspectedUpload[];
  readonly moreUploads: boolean;
}

export interface InspectedVersion {
  /** `null`, or the token. */
  readonly versionId: string;
  readonly isCurrent: boolean;
  /** False: no reader counts it. */
  readonly isVisible: boolean;
  readonly isMarker: boolean;
  readonly isStamped: boolean;
  /** Absent for delete markers and for what cannot be read. */
  readonly view?: ObjectView;
  /** Milliseconds, whole seconds. */
  readonly mtime: number;
  readonly ownerId: string;
  /** Where its bytes lie, or a marker's record. */
  readonly ref: BlobRef;
  readonly revision?: Revision;
  /** What the parts of the upload that made it were last claimed for. */
  readonly claim?: Claim['kind'];
  /** Why not all of it could be read. */
  readonly problem?: string;
}

export interface InspectedUpload extends UploadSummary {
  readonly uploadId: string;
  /** Milliseconds, whole seconds. */
  readonly initiatedAt: number;
  /** Name of the version that it would become; its parts are staged beside that version's own blob. */
  readonly becomes: VersionToken;
  /** Absent: it is neither completed nor aborted. */
  readonly claim?: Claim['kind'];
  readonly parts: readonly PartRecord[];
  readonly moreParts: boolean;
}
