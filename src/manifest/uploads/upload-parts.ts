import { hash } from 'node:crypto';
import { finished } from 'node:stream/promises';
import type { Call } from '../../observe/call.ts';
import type { BodyFacts } from '../../protocol/body/object-body.ts';
import type { RemoveItem, StagedPart } from '../../store/blob-store.ts';
import { blobsOf, pagesOf } from '../../store/pages.ts';
import { removeForGood } from '../../store/remove-for-good.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import { mapConcurrent } from '../../streams/map-concurrent.ts';
import { type UploadBody, bodySize } from '../../streams/bytes.ts';
import { requirePartKey } from '../heads/customer-keys.ts';
import { keepingOf, partEtag } from '../heads/keep-apart.ts';
import type { KeepApart } from '../heads/object-requests.ts';
import { writePieces } from '../heads/pieces.ts';
import type { BucketHome } from '../records/bucket.ts';
import { timeOf } from '../records/time.ts';
import { RECORD_HEADERS, type Upload, lookUpUpload, noSuchUpload } from './upload-find.ts';
import { versionOfUpload } from '../records/upload-id.ts';
import {
  type UploadTarget,
  partName,
  partNumberOf,
  partsPrefix,
  stagingRef,
  uploadRef,
} from '../records/upload-names.ts';
import { type PartRecord, decodePart, encodePart } from '../records/upload-part-record.ts';

/**
 * Whether the backend will say the MD5 of a part of so many bytes, so that none need be computed here. Of parts that
 * lie apart it is not asked.
 */
export async function saysPartMd5(
  upload: Upload,
  { size, keepApart }: { readonly size: number; readonly keepApart: KeepApart | undefined },
  call: Call,
): Promise<boolean> {
  if (keepApart !== undefined || size === 0) return false;
  return (await upload.bucket.home.store.partDigests?.ask(stagingRef(upload), size, call)) === true;
}

export interface NewPart {
  readonly number: number;
  readonly body: UploadBody;
  /** Hex MD5 that the client declared, and that only the backend judges. */
  readonly md5?: string | undefined;
  /** MD5, unless the backend says it (`saysPartMd5`), and checksum; resolves once all bytes were verified. */
  readonly facts: BodyFacts | Promise<BodyFacts>;
  /** As its upload says. */
  readonly keepApart?: KeepApart | undefined;
}

/**
 * Stores a part: stages its bytes, verifies them, then writes its record, which replaces an earlier one of that number.
 * If the upload has ended meanwhile, the part is discarded.
 * @throws S3Error NoSuchUpload; what the verification of the body throws
 */
export async function putPart(upload: Upload, part: NewPart, call: Call): Promise<PartRecord> {
  const { keepApart } = part;
  requirePartKey(upload.encryption, keepApart?.kind === 'customer' ? keepApart.key : undefined);
  if (keepApart !== undefined) return putPartApart(upload, { ...part, keepApart }, call);
  const staged = await stage(upload, part, call);
  const { md5, checksum } = await part.facts;
  const etag = etagOfPart(part, { computed: md5, said: staged.md5 });
  return recordPart(
    upload,
    { number: part.number, etag, size: bodySize(part.body), ...(checksum && { checksum }), staged },
    call,
  );
}

interface PartSums {
  /** Here. */
  readonly computed: string | undefined;
  /** By the backend, of what it stored. */
  readonly said: string | undefined;
}

/**
 * The MD5 of a part's bytes, which is its ETag. It is never taken from what a client declared. If the backend did not
 * say it after all, that of bytes in memory is computed now; other bytes are gone, and the client sends them again
 * (docs/decisions/0046-parts-hashed-by-the-service.md).
 * @throws StoreError unavailable: nobody knows it, or the backend stored other bytes than were verified here;
 * digestMismatch: it stored other bytes than the client declared
 */
function etagOfPart({ body, md5: declared }: NewPart, { computed, said }: PartSums): string {
  const known = said ?? computed ?? (body instanceof Uint8Array ? hash('md5', body, 'hex') : undefined);
  if (known === undefined) throw new StoreError('unavailable', { call: 'stagePart', code: 'NoMd5OfPart' });
  if (declared !== undefined && declared !== known) throw new StoreError('digestMismatch', { call: 'stagePart' });
  if (computed !== undefined && computed !== known) {
    throw new StoreError('unavailable', { call: 'stagePart', code: 'OtherMd5OfPart' });
  }
  return known;
}

/**
 * Stores a part of an encrypted upload as pieces, which stay where they are: Complete gets no key, so it could not
 * assemble them. The ETag is no MD5, like that of every encrypted object. Archived parts stay, too: what is archived
 * cannot be assembled.
 */
async function putPartApart(
  upload: Upload,
  { number, body, facts, keepApart }: NewPart & { readonly keepApart: KeepApart },
  call: Call,
): Promise<PartRecord> {
  const token = versionOfUpload(upload.uploadId);
  const keeping = keepingOf(upload.bucket.home, keepApart, upload.storageClass);
  const { pieces } = await writePieces(upload, { token, body, keeping }, call);
  const { md5, checksum } = await facts;
  if (md5 === undefined) throw new StoreError('unexpected', { call: 'write', code: 'NoMd5OfBody' });
  const etag = partEtag(keepApart, upload.uploadId, md5);
  const isMd5 = keepApart.kind === 'archive';
  const part = {
    number,
    etag,
    ...(!isMd5 && { derived: true as const }),
    size: bodySize(body),
    ...(checksum && { checksum }),
  };
  return recordPart(upload, { ...part, staged: { tokens: [] }, pieces }, call);
}

/**
 * Stages the bytes, and lets the backend judge the MD5 that is known of them. Services refuse to stage an empty body,
 * so an empty part is a record only.
 */
async function stage(upload: Upload, { body, md5: declared, facts }: NewPart, call: Call): Promise<StagedPart> {
  if (bodySize(body) > 0) {
    const md5 = declared ?? (body instanceof Uint8Array ? (await facts).md5 : undefined);
    return upload.bucket.home.store.stagePart(stagingRef(upload), body, { md5 }, call);
  }
  if (!(body instanceof Uint8Array)) await finished(body.stream.resume(), { signal: call.signal });
  return { tokens: [] };
}

type StagedRecord = Omit<PartRecord, 'tokens' | 'mtime'> & { readonly staged: StagedPart };

/** Makes a staged part the part of its number, if the upload is still open. @throws S3Error NoSuchUpload */
export async function recordPart(upload: Upload, { staged, ...facts }: StagedRecord, call: Call): Promise<PartRecord> {
  const { home } = upload.bucket;
  const part: PartRecord = { ...facts, tokens: staged.tokens, mtime: Math.floor(timeOf(home).now() / 1000) * 1000 };
  if (await writeRecord(upload, part, call)) return part;
  // The pieces of an encrypted part stay. The copy of the record may have been made although its answer was lost, and a
  // Complete may have used that record. The sweeper removes pieces that no record names.
  await home.store.discardParts(stagingRef(upload), call);
  throw noSuchUpload(upload.uploadId);
}

/**
 * Writes the record of a part as a copy of the upload's record with the part's metadata. So the service refuses it when
 * the upload, and with it the source of the copy, is gone. Readers of part records look at the metadata only. @returns
 * false when the upload is over
 */
async function writeRecord(upload: Upload, part: PartRecord, call: Call): Promise<boolean> {
  try {
    await copyRecord(upload, part, call);
    return true;
  } catch (error) {
    if (!isStoreError(error, 'sourceNotFound', 'sourceConditionFailed')) throw error;
    const now = await lookUpUpload(upload, call);
    if (now === undefined) return false;
    // The record was changed from outside, say by a lifecycle rule of the cloud. If it was not, it can be copied.
    if (now.revision === upload.revision) throw new StoreError('unavailable', { ...error.detail, cause: error });
    await copyRecord(now, part, call).catch((cause: unknown) => {
      throw isStoreError(cause, 'sourceNotFound', 'sourceConditionFailed')
        ? new StoreError('unavailable', { ...cause.detail, cause })
        : cause;
    });
    return true;
  }
}

async function copyRecord(upload: Upload, part: PartRecord, call: Call): Promise<void> {
  const { bucket, key, uploadId, revision, recordSize: size } = upload;
  const { store, system } = bucket.home;
  const source = { ...uploadRef({ bucket, key, uploadId }), revision };
  const request = { source, size, headers: RECORD_HEADERS, sameHeaders: true, metadata: encodePart(part) };
  await store.copy({ container: system, name: partName(uploadId, part.number) }, request, call);
}

export interface PartPage {
  readonly parts: readonly PartRecord[];
  readonly isTruncated: boolean;
}

/** Parts with numbers above `after`, ascending; list calls only. */
export async function listParts(
  { bucket, uploadId }: Pick<Upload, 'bucket' | 'uploadId'>,
  page: { readonly after: number; readonly limit: number },
  call: Call,
): Promise<PartPage> {
  const parts: PartRecord[] = [];
  if (page.limit === 0) return { parts, isTruncated: false };
  const from = { uploadId, first: page.after + 1, pageSize: page.limit + 1 };
  for await (const found of partsFrom(bucket.home, from, call)) {
    parts.push(...found.slice(0, page.limit - parts.length + 1));
    if (parts.length > page.limit) return { parts: parts.slice(0, page.limit), isTruncated: true };
  }
  return { parts, isTruncated: false };
}

/** Pages of parts that are asked for at the same time. */
const LIST_CONCURRENCY = 10;

/** Parts by their numbers. */
export interface FoundParts {
  readonly stored: ReadonlyMap<number, PartRecord>;
  /** There were no others when they were listed. */
  readonly areAll: boolean;
}

/**
 * Finds parts by their numbers. It asks for all pages at once, each of which holds as many numbers as a page may. If a
 * page may hold all up to the last of them and one more, it is asked for alone, and shows whether there are others.
 * @param numbers in any order
 */
export async function partsNamed(
  { bucket, uploadId }: UploadTarget,
  named: readonly { readonly number: number }[],
  call: Call,
): Promise<FoundParts> {
  const { home } = bucket;
  const sorted = Uint16Array.from(named, ({ number }) => number).sort();
  const pageSize = home.store.capabilities.maxListPage;
  const last = sorted.at(-1) ?? 0;
  if (last < pageSize) return partsOnOnePage(home, { uploadId, last }, call);
  const starts: number[] = [];
  for (let start = 0; start < sorted.length; start += pageSize) starts.push(start);
  const pages = await mapConcurrent(starts, LIST_CONCURRENCY, (start) =>
    partsBetween(
      home,
      { uploadId, first: sorted[start] ?? 1, last: sorted[Math.min(start + pageSize, sorted.length) - 1] ?? 1 },
      call,
    ),
  );
  const stored = new Map<number, PartRecord>();
  for (const page of pages) for (const part of page) stored.set(part.number, part);
  return { stored, areAll: false };
}

async function partsOnOnePage(
  home: BucketHome,
  { uploadId, last }: { readonly uploadId: string; readonly last: number },
  call: Call,
): Promise<FoundParts> {
  const stored = new Map<number, PartRecord>();
  for await (const parts of partsFrom(home, { uploadId, first: 1, pageSize: last + 1 }, call)) {
    for (const part of parts) {
      if (part.number > last) return { stored, areAll: false };
      stored.set(part.number, part);
    }
  }
  return { stored, areAll: true };
}

/** The parts between two numbers, both inclusive. */
async function partsBetween(
  home: BucketHome,
  { uploadId, first, last }: { readonly uploadId: string; readonly first: number; readonly last: number },
  call: Call,
): Promise<PartRecord[]> {
  const parts: PartRecord[] = [];
  for await (const found of partsFrom(home, { uploadId, first, pageSize: last - first + 1 }, call)) {
    parts.push(...found.filter(({ number }) => number <= last));
    if ((found.at(-1)?.number ?? 0) >= last) break;
  }
  return parts;
}

/** Page by page. */
async function* partsFrom(
  { store, system }: BucketHome,
  from: { readonly uploadId: string; readonly first: number; readonly pageSize: number },
  call: Call,
): AsyncGenerator<readonly PartRecord[], void> {
  const { uploadId } = from;
  const request = { prefix: partsPrefix(uploadId), startAt: partName(uploadId, from.first), pageSize: from.pageSize };
  for await (const page of pagesOf(store, system, request, call)) {
    yield blobsOf(page).map(({ name, metadata }) => decodePart(partNumberOf(uploadId, name), metadata));
  }
}

/** Removes all part records of an upload, with list and bulk calls only. Idempotent. */
export async function removePartRecords({ store, system }: BucketHome, uploadId: string, call: Call): Promise<void> {
  for await (const page of pagesOf(store, system, { prefix: partsPrefix(uploadId) }, call)) {
    await removeForGood(
      { store, system },
      page.map(({ name }) => ({ name })),
      call,
    );
  }
}

/** What to remove of an upload that is over: nothing of these names comes anew. */
export function recordsOf(uploadId: string, numbers: Iterable<number>): RemoveItem[] {
  return Array.from(numbers, (number) => ({ name: partName(uploadId, number) }));
}

/** Frees the staged bytes of an upload that has ended, and removes its staging blob. Idempotent. */
export async function removeStaging(target: UploadTarget, call: Call): Promise<void> {
  await freeStaged(target, call);
  await removeStagingBlob(target, call);
}

/** Frees the staged bytes of parts that were not assembled. Idempotent. */
export function freeStaged(target: UploadTarget, call: Call): Promise<void> {
  return target.bucket.home.store.discardParts(stagingRef(target), call);
}

/** Removes the staging blob, and the claim on it. Idempotent. */
export async function removeStagingBlob(target: UploadTarget, call: Call): Promise<void> {
  try {
    await target.bucket.home.store.remove(stagingRef(target), undefined, call);
  } catch (error) {
    if (!isStoreError(error, 'notFound')) throw error;
  }
}
