/** The server access log of a bucket, as a request knows it that the log gets a record of. */
export interface BucketLog {
  readonly bucket: string;
  /** Canonical id. */
  readonly ownerId: string;
  /** @param record a line without its line break @param time of the request's arrival, milliseconds since 1970 */
  add(record: string, time: number): void;
}

/** One record that a request leaves in the log of a bucket: of all of it, or of a part that S3 records by itself. */
export interface LoggedAccess {
  readonly log: BucketLog;
  /** Absent: the record is about the whole request. */
  readonly part?: AccessPart;
}

/** The source of a copy, which may lie in another bucket; or a key of DeleteObjects, and what came of it. */
export type AccessPart =
  | { readonly kind: 'copySource'; readonly key: string; readonly versionId: string | undefined }
  | {
      readonly kind: 'batchDelete';
      readonly key: string;
      readonly versionId: string | undefined;
      readonly status: number;
      /** Absent: it was deleted. */
      readonly code?: string;
    };
