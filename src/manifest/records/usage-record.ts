import type { BlobMetadata } from '../../store/blob-store.ts';
import { toAsciiJson } from './fields.ts';
import type { Bucket } from './bucket.ts';
import { isCount, isListOf, isMoment, isText } from './record-checks.ts';
import { RECORD_NAME } from './record.ts';

/** What versions of one storage class come to. */
export interface ClassUsage {
  readonly storageClass: string;
  readonly currentObjects: number;
  readonly currentBytes: number;
  readonly noncurrentObjects: number;
  readonly noncurrentBytes: number;
}

/** What lies in a bucket. Bytes are those of objects as clients see them. */
export interface UsageCount {
  /** STANDARD first, then by name; only classes that something is in. */
  readonly classes: readonly ClassUsage[];
  readonly markers: number;
  /** Open uploads, and the parts that they have. */
  readonly uploads: number;
  readonly parts: number;
  readonly partBytes: number;
}

/** What a pass has counted in a bucket. All of it is in the metadata of a blob (`usageName`). */
export interface UsageRecord extends UsageCount {
  readonly bucket: string;
  /** Canonical id. */
  readonly ownerId: string;
  /** By the service's clock, milliseconds. What was changed in between may be counted or not. */
  readonly startedAt: number;
  readonly finishedAt: number;
}

export const NO_USAGE: UsageCount = { classes: [], markers: 0, uploads: 0, parts: 0, partBytes: 0 };

/**
 * Everything about usage in the system container, in the metadata of blobs `a/<owner>/<bucket uid>/<what>`: one list
 * call reads what is known of a bucket, of an account, or of all. The level of an account's quota is
 * `a/<owner>/quota`.
 */
export const ALL_USAGE = 'a/';

/** @param ownerId canonical id */
export function usageOfAccount(ownerId: string): string {
  return `${ALL_USAGE}${ownerId}/`;
}

/** The owner and the uid of a bucket. */
export type UsageOwner = Pick<Bucket, 'ownerId' | 'uid'>;

export function usageOfBucket({ ownerId, uid }: UsageOwner): string {
  return `${usageOfAccount(ownerId)}${uid}/`;
}

/** What the last pass has counted. */
export function usageName(bucket: UsageOwner): string {
  return `${usageOfBucket(bucket)}usage`;
}

/** What one process has written since. @param writer id of the process */
export function writtenName(bucket: UsageOwner, writer: string): string {
  return `${usageOfBucket(bucket)}written-${writer}`;
}

const NAME = /^(a\/([^/]+)\/([^/]+)\/)(?:usage|written-([^/]+))$/;

/** What a name beneath `ALL_USAGE` says. @returns undefined for one that is none of ours */
export function parseUsageName(
  name: string,
): (UsageOwner & { readonly folder: string; readonly writer: string | undefined }) | undefined {
  const [, folder, ownerId, uid, writer] = NAME.exec(name) ?? [];
  return folder === undefined || ownerId === undefined || uid === undefined
    ? undefined
    : { folder, ownerId, uid, writer };
}

/** Whether a blob of this name says what one process has written. */
export function isWritten(name: string): boolean {
  return parseUsageName(name)?.writer !== undefined;
}

/** How far the clock of a process may be from the service's: spans of writes that end so shortly before count, too. */
export const CLOCK_SLACK_MS = 2 * 60_000;

/** The bucket that a blob beneath `ALL_USAGE` is about. Undefined: an account, or the name is none of ours. */
export function uidOfUsage(name: string): string | undefined {
  const [, , uid, what, ...more] = name.split('/');
  return what === undefined || more.length > 0 ? undefined : uid;
}

/** Parts of a quota that the operator is told of, in percent. 0: less than all of them is used. */
export const QUOTA_LEVELS = [100, 80, 0] as const;
export type QuotaPercent = (typeof QUOTA_LEVELS)[number];

/** How much of a quota was used when a process looked last, and whether the operator knows. Blob `quotaLevelName`. */
export interface QuotaLevel {
  readonly percent: QuotaPercent;
  /** When that was found, by the clock of the process that found it; milliseconds. */
  readonly since: number;
  /** False: a process is about to tell the operator. */
  readonly isTold: boolean;
}

/** @param owner without a uid: of all buckets of the owner together */
export function quotaLevelName({ ownerId, uid }: Pick<UsageOwner, 'ownerId'> & Partial<UsageOwner>): string {
  return `${uid === undefined ? usageOfAccount(ownerId) : usageOfBucket({ ownerId, uid })}quota`;
}

const FORMAT = 1;

export function encodeUsage(record: UsageRecord): BlobMetadata {
  return { [RECORD_NAME]: toAsciiJson({ v: FORMAT, ...record }) };
}

/** @returns undefined: no record that this release can read. The next pass writes one over it */
export function decodeUsage(metadata: BlobMetadata): UsageRecord | undefined {
  const json = jsonIn(metadata);
  if (json?.['v'] !== FORMAT || !isText(json['bucket']) || !isText(json['ownerId']) || !isUsageCount(json)) {
    return undefined;
  }
  if (!isMoment(json['startedAt']) || !isMoment(json['finishedAt'])) return undefined;
  const { v: _format, ...record } = json;
  return record as unknown as UsageRecord;
}

/** The JSON of a record in metadata; undefined if there is none. Other tools can write the blob, too. */
function jsonIn(metadata: BlobMetadata): Readonly<Record<string, unknown>> | undefined {
  try {
    const json: unknown = JSON.parse(metadata[RECORD_NAME] ?? '');
    return typeof json === 'object' && json !== null ? { ...json } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether JSON could be a count that a pass has written. */
export function isUsageCount(json: unknown): json is UsageCount {
  const { classes, ...rest } = (json ?? {}) as Partial<Record<keyof UsageCount, unknown>>;
  return isListOf(isClassUsage)(classes) && [rest.markers, rest.uploads, rest.parts, rest.partBytes].every(isCount);
}

function isClassUsage(json: unknown): boolean {
  const said = (json ?? {}) as Partial<Record<keyof ClassUsage, unknown>>;
  const counts = [said.currentObjects, said.currentBytes, said.noncurrentObjects, said.noncurrentBytes];
  return isText(said.storageClass) && counts.every(isCount);
}

/** Versions of all classes, and all bytes, those of parts included: what a quota is about. */
export function totalOf({ classes, partBytes }: UsageCount): { readonly objects: number; readonly bytes: number } {
  let objects = 0;
  let bytes = partBytes;
  for (const one of classes) {
    objects += one.currentObjects + one.noncurrentObjects;
    bytes += one.currentBytes + one.noncurrentBytes;
  }
  return { objects, bytes };
}

/** What a process has written into a bucket within some time; by its own clock, milliseconds. */
export interface WrittenSpan {
  readonly from: number;
  readonly until: number;
  readonly bytes: number;
  readonly objects: number;
}

/** What a process has written into a bucket, oldest first. Blob `writtenName`. */
export interface WrittenRecord {
  readonly bucket: string;
  readonly spans: readonly WrittenSpan[];
}

export function encodeWritten({ bucket, spans }: WrittenRecord): BlobMetadata {
  const coded = spans.map(({ from, until, bytes, objects }) => [from, until, bytes, objects]);
  return { [RECORD_NAME]: toAsciiJson({ v: FORMAT, bucket, spans: coded }) };
}

/** @returns undefined: no record that this release can read */
export function decodeWritten(metadata: BlobMetadata): WrittenRecord | undefined {
  const { v, bucket, spans } = jsonIn(metadata) ?? {};
  if (v !== FORMAT || !isText(bucket) || !isListOf(isSpan)(spans)) return undefined;
  const coded = spans as readonly (readonly [number, number, number, number])[];
  return {
    bucket: bucket as string,
    spans: coded.map(([from, until, bytes, objects]) => ({ from, until, bytes, objects })),
  };
}

function isSpan(json: unknown): boolean {
  return (
    Array.isArray(json) && json.length === 4 && isMoment(json[0]) && isMoment(json[1]) && json.slice(2).every(isCount)
  );
}

export function encodeQuotaLevel(level: QuotaLevel): BlobMetadata {
  return { [RECORD_NAME]: toAsciiJson({ v: FORMAT, ...level }) };
}

/** @returns undefined: no record that this release can read. One is written over it */
export function decodeQuotaLevel(metadata: BlobMetadata): QuotaLevel | undefined {
  const { v, percent, since, isTold } = jsonIn(metadata) ?? {};
  const known = QUOTA_LEVELS.find((level) => level === percent);
  if (v !== FORMAT || known === undefined || !isMoment(since) || typeof isTold !== 'boolean') return undefined;
  return { percent: known, since: since as number, isTold };
}
