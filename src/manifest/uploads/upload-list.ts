import { invalidArgument } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import type { BlobEntry } from '../../store/blob-store.ts';
import { encodeOrdered, successorOfPrefix } from '../../store/key-codec.ts';
import type { Bucket } from '../records/bucket.ts';
import { belongsTo, initiatedAt } from '../records/upload-id.ts';
import { parseUploadName, uploadsOfKey, uploadsPrefix, uploadsUnder } from '../records/upload-names.ts';
import { type UploadSummary, decodeSummary } from '../records/upload-record.ts';

export interface UploadListRequest {
  readonly prefix: string;
  /** Absent or empty: no roll-up. */
  readonly delimiter?: string;
  /** List what comes after this key, or after `afterUpload` of this key. */
  readonly afterKey?: string;
  /** Counts only together with `afterKey`. */
  readonly afterUpload?: string;
  /** Uploads and prefixes together. */
  readonly limit: number;
}

export interface ListedUpload extends UploadSummary {
  readonly kind: 'upload';
  readonly key: string;
  readonly uploadId: string;
  /** Milliseconds, whole seconds. */
  readonly initiatedAt: number;
}

interface ListedUploadPrefix {
  readonly kind: 'prefix';
  readonly prefix: string;
}

export interface UploadPage {
  /** By key, then by initiation; prefixes among them. */
  readonly entries: readonly (ListedUpload | ListedUploadPrefix)[];
  readonly isTruncated: boolean;
}

const MIN_PAGE = 100;

/**
 * Lists the open uploads of a bucket by list calls only: one call for each page, and one more for each prefix that
 * fills more than a page. Keys too long for a name of the backend are sorted by their hash, among the keys that share
 * the first thousand characters of their encoding.
 * @throws S3Error InvalidArgument: `afterUpload` is no upload of `afterKey`
 */
export async function listUploads(bucket: Bucket, request: UploadListRequest, call: Call): Promise<UploadPage> {
  const { limit, prefix, delimiter = '', afterKey } = request;
  const entries: (ListedUpload | ListedUploadPrefix)[] = [];
  if (limit === 0) return { entries, isTruncated: false };

  const position = startOf(bucket, request);
  // The page before has listed the prefix that the marker belongs to.
  let skip = afterKey?.startsWith(prefix) === true ? rollUp(afterKey, prefix, delimiter) : undefined;
  for await (const upload of uploadsFrom(
    bucket,
    { prefix, position, skipping: () => skip, pageSize: limit + 1 },
    call,
  )) {
    const rolledUp = rollUp(upload.key, prefix, delimiter);
    if (rolledUp !== undefined && rolledUp === skip) continue;
    if (entries.length >= limit) return { entries, isTruncated: true };
    entries.push(rolledUp === undefined ? upload : { kind: 'prefix', prefix: rolledUp });
    skip = rolledUp ?? skip;
  }
  return { entries, isTruncated: false };
}

/** The page begins behind this name. */
interface Position {
  readonly startAt?: string;
  readonly behind?: string;
}

function startOf(bucket: Bucket, { afterKey, afterUpload }: UploadListRequest): Position {
  if (afterKey === undefined || afterKey === '') return {};
  const { prefix } = uploadsOfKey({ bucket, key: afterKey });
  if (afterUpload !== undefined && afterUpload !== '') {
    if (!belongsTo(afterUpload, { bucket, key: afterKey })) {
      throw invalidArgument('upload-id-marker', afterUpload, 'Invalid uploadId marker');
    }
    return { startAt: prefix + afterUpload, behind: prefix + afterUpload };
  }
  const startAt = successorOfPrefix(prefix);
  return startAt === undefined ? {} : { startAt };
}

interface Scan {
  readonly prefix: string;
  readonly position: Position;
  /** The prefix that was rolled up last: when a page ends beneath it, the next one begins behind it. */
  readonly skipping: () => string | undefined;
  readonly pageSize: number;
}

async function* uploadsFrom(bucket: Bucket, scan: Scan, call: Call): AsyncGenerator<ListedUpload, void> {
  const { store, system } = bucket.home;
  const limit = Math.min(Math.max(scan.pageSize, MIN_PAGE), store.capabilities.maxListPage);
  const under = uploadsUnder(bucket, scan.prefix);
  let { startAt } = scan.position;
  let token: string | undefined;
  for (;;) {
    const page = await store.list(
      system,
      { prefix: under, limit, ...(startAt !== undefined && { startAt }), ...(token !== undefined && { token }) },
      call,
    );
    for (const entry of page.entries) {
      const upload = entry.kind === 'blob' && entry.name !== scan.position.behind ? toListed(bucket, entry) : undefined;
      if (upload?.key.startsWith(scan.prefix) === true) yield upload;
    }
    if (page.nextToken === undefined) return;
    const jump = behindPrefix(bucket, scan.skipping(), page.entries.at(-1)?.name);
    startAt = jump ?? startAt;
    token = jump === undefined ? page.nextToken : undefined;
  }
}

/** Where to go on when the last name of a page lies beneath a rolled-up prefix. */
function behindPrefix(bucket: Bucket, rolledUp: string | undefined, last: string | undefined): string | undefined {
  if (rolledUp === undefined || last === undefined) return undefined;
  const exact = uploadsPrefix(bucket) + encodeOrdered(rolledUp);
  return uploadsUnder(bucket, rolledUp) === exact && last.startsWith(exact) ? successorOfPrefix(exact) : undefined;
}

function toListed(bucket: Bucket, { name, metadata }: BlobEntry): ListedUpload | undefined {
  const parsed = parseUploadName(bucket, name);
  if (parsed === undefined) return undefined;
  const summary = decodeSummary(metadata);
  const key = parsed.key ?? summary.key;
  if (key === undefined) return undefined;
  const { uploadId } = parsed;
  return { ...summary, kind: 'upload', key, uploadId, initiatedAt: initiatedAt(uploadId) };
}

function rollUp(key: string, prefix: string, delimiter: string): string | undefined {
  const found = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
  return found < 0 ? undefined : key.slice(0, found + delimiter.length);
}
