import type { Bucket, LifecycleDeed } from '../manifest/index.ts';
import { lifecycleLine } from '../observe/access-log/s3-line.ts';
import type { AccessLogs } from './access-logs.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-and-other-bucket-config.html#lifecycle-general-considerations-logging */
const OPERATIONS: Readonly<Record<Exclude<LifecycleDeed['kind'], 'moved'>, string>> = {
  removed: 'S3.EXPIRE.OBJECT',
  markerCreated: 'S3.CREATE.DELETEMARKER',
  aborted: 'S3.DELETE.UPLOAD',
};

/** Of moves, by the class that was moved to. */
const TRANSITIONS: Readonly<Record<string, string>> = {
  GLACIER: 'S3.TRANSITION.OBJECT',
  DEEP_ARCHIVE: 'S3.TRANSITION_GDA.OBJECT',
  GLACIER_IR: 'S3.TRANSITION_GIR.OBJECT',
  STANDARD_IA: 'S3.TRANSITION_SIA.OBJECT',
  ONEZONE_IA: 'S3.TRANSITION_ZIA.OBJECT',
  INTELLIGENT_TIERING: 'S3.TRANSITION_INT.OBJECT',
};

interface Doing {
  /** Names the run. */
  readonly requestId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Leaves a record of what a lifecycle rule did in the log of the bucket, if it keeps one. */
export function recordDeed(logs: AccessLogs, bucket: Bucket, deed: LifecycleDeed, { requestId, now }: Doing): void {
  const log = logs.logOf(bucket);
  if (log === undefined) return;
  const { kind, key, versionId, size, storageClass = '' } = deed;
  const operation = kind === 'moved' ? (TRANSITIONS[storageClass] ?? 'S3.TRANSITION.OBJECT') : OPERATIONS[kind];
  const said = { ...(versionId !== undefined && { versionId }), ...(size !== undefined && { size }) };
  log.add(lifecycleLine(log, { operation, key, requestId, ...said }, now), now);
}
