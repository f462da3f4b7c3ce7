import { S3Error } from '../errors/s3-error.ts';
import { parseHttpDate } from './http-date.ts';

/** What conditions are judged against; undefined = no object (absent, or its current version is a delete marker). */
export interface ConditionTarget {
  /** Without quotes. */
  readonly etag: string;
  /** Milliseconds, whole seconds. */
  readonly mtime: number;
  readonly versionId?: string;
}

/** Conditions on the state a write replaces, as the headers came. */
export interface WriteConditions {
  readonly ifMatch?: string;
  readonly ifNoneMatch?: string;
  /** No header: the very version that lifecycle rules have judged must be current. */
  readonly ifStill?: Required<ConditionTarget>;
}

export function hasWriteConditions({ ifMatch, ifNoneMatch, ifStill }: WriteConditions): boolean {
  return ifMatch !== undefined || ifNoneMatch !== undefined || ifStill !== undefined;
}

/** `If-None-Match: *` alone: the one condition that needs no look at the object, only "must not exist". */
export function isCreateOnly(conditions: WriteConditions): boolean {
  const { ifMatch, ifNoneMatch, ifStill } = conditions;
  return ifMatch === undefined && ifStill === undefined && ifNoneMatch?.trim() === '*';
}

/** Judges a conditional write. @throws 404 NoSuchKey (If-Match on nothing), 412 PreconditionFailed */
export function judgeWrite(conditions: WriteConditions, current: ConditionTarget | undefined, key: string): void {
  const { ifMatch, ifNoneMatch, ifStill } = conditions;
  if (ifStill !== undefined && !isSame(ifStill, current)) throw preconditionFailed('If-Match');
  if (ifMatch !== undefined) {
    if (current === undefined) throw new S3Error('NoSuchKey', { extra: { Key: key } });
    if (!isTag(ifMatch, current.etag)) throw preconditionFailed('If-Match');
  }
  if (ifNoneMatch !== undefined && current !== undefined && etagMatches(ifNoneMatch, current.etag)) {
    throw preconditionFailed('If-None-Match');
  }
}

function isSame(wanted: ConditionTarget, current: ConditionTarget | undefined): boolean {
  const { versionId, etag, mtime } = current ?? {};
  return versionId === wanted.versionId && etag === wanted.etag && mtime === wanted.mtime;
}

export function preconditionFailed(condition: string): S3Error {
  return new S3Error('PreconditionFailed', { extra: { Condition: condition } });
}

/** The four conditions of reads and of copy sources, as the headers came. */
export interface ReadConditions {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly ifModifiedSince?: string | undefined;
  readonly ifUnmodifiedSince?: string | undefined;
}

type FailedCondition = 'If-Match' | 'If-None-Match' | 'If-Unmodified-Since' | 'If-Modified-Since';

/**
 * Evaluates in S3's order: If-Match before If-Unmodified-Since, If-None-Match before
 * If-Modified-Since, the ETag condition of each pair making its date irrelevant.
 * Unparsable dates and If-Modified-Since in the future are ignored, but for the object's own time: Azure dates blobs up
 * to two seconds ahead.
 * @returns the condition that failed, or undefined
 */
export function failedCondition(
  conditions: ReadConditions,
  target: ConditionTarget,
  now: number,
): FailedCondition | undefined {
  const { ifMatch, ifNoneMatch } = conditions;
  if (ifMatch !== undefined) {
    if (!etagMatches(ifMatch, target.etag)) return 'If-Match';
  } else {
    const until = parseDate(conditions.ifUnmodifiedSince);
    if (until !== undefined && target.mtime > until) return 'If-Unmodified-Since';
  }
  if (ifNoneMatch !== undefined) {
    if (etagMatches(ifNoneMatch, target.etag)) return 'If-None-Match';
  } else {
    const since = parseDate(conditions.ifModifiedSince);
    const isHeeded = since !== undefined && (since <= now || since === target.mtime);
    if (isHeeded && target.mtime <= since) return 'If-Modified-Since';
  }
  return undefined;
}

/**
 * The tag itself, without quotes and blanks around it: S3 takes a tag with and without them, in headers and in the list
 * of CompleteMultipartUpload.
 */
export function bareTag(text: string): string {
  return text.replaceAll('"', '').trim();
}

/** `If-Match` of a write: `*`, or one entity tag. S3 takes no list there, and a weak tag never matches (RFC 9110). */
function isTag(header: string, etag: string): boolean {
  const tag = bareTag(header);
  return tag === '*' || tag === etag;
}

/** Elsewhere: `*`, or a list of entity tags with or without quotes and weak marks. */
function etagMatches(header: string, etag: string): boolean {
  if (header === `"${etag}"` || header === etag) return true;
  return header.split(',').some((item) => {
    const tag = item.trim();
    return tag === '*' || tag.replace(/^W\//, '').replace(/^"|"$/g, '') === etag;
  });
}

/**
 * `If-Range` (RFC 9110 13.1.5), which S3 heeds though its reference does not name it: one entity tag, of which a weak
 * one never matches, or the very date of Last-Modified. A client that goes on with a download would otherwise put bytes
 * of a new object behind those of the old one.
 */
export function isSameState(ifRange: string, target: ConditionTarget): boolean {
  const said = ifRange.trim();
  return said === `"${target.etag}"` || said === target.etag || parseHttpDate(said) === target.mtime;
}

function parseDate(header: string | undefined): number | undefined {
  return header === undefined ? undefined : parseHttpDate(header);
}
