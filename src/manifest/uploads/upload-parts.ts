import { finished } from 'node:stream/promises';
import type { Call } from '../../observe/call.ts';
import type { BodyFacts } from '../../protocol/body/object-body.ts';
import type { StagedPart } from '../../store/blob-store.ts';
import { blobsOf, pagesOf } from '../../store/pages.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import { type UploadBody, bodySize } from '../../streams/bytes.ts';
import type { BucketHome } from '../records/bucket.ts';
import { timeOf } from '../records/time.ts';
import { type Upload, lookUpUpload, noSuchUpload } from './upload-find.ts';
import { type UploadTarget, partName, partNumberOf, partsPrefix, stagingRef } from '../records/upload-names.ts';
import { type PartRecord, decodePart, encodePart } from '../records/upload-part-record.ts';

const EMPTY = new Uint8Array(0);

export interface NewPart {
  readonly number: number;
  readonly body: UploadBody;
  /** MD5 (always) and checksum; resolves once all bytes were verified. */
  readonly facts: BodyFacts | Promise<BodyFacts>;
}

/**
 * Stores a part: bytes staged and verified first, then its record, which replaces an earlier one of
 * that number. A part that ends after its upload did is thrown away.
 * @throws S3Error NoSuchUpload, and what the body's verification finds
 */
export async function putPart(upload: Upload, part: NewPart, call: Call): Promise<PartRecord> {
  const staged = await stage(upload, part.body, call);
  const { md5, checksum } = await part.facts;
  if (md5 === undefined) throw new StoreError('unexpected', { call: 'stagePart', code: 'NoMd5OfBody' });
  return recordPart(
    upload,
    { number: part.number, etag: md5, size: bodySize(part.body), ...(checksum && { checksum }), staged },
    call,
  );
}

/** Services refuse to stage nothing: an empty part is a record only. */
async function stage(upload: Upload, body: UploadBody, call: Call): Promise<StagedPart> {
  if (bodySize(body) > 0) return upload.bucket.home.store.stagePart(stagingRef(upload), body, call);
  if (!(body instanceof Uint8Array)) await finished(body.stream.resume(), { signal: call.signal });
  return { tokens: [] };
}

type StagedRecord = Omit<PartRecord, 'tokens' | 'mtime'> & { readonly staged: StagedPart };

/** Makes a staged part the part of its number, if the upload is still open. @throws S3Error NoSuchUpload */
export async function recordPart(upload: Upload, { staged, ...facts }: StagedRecord, call: Call): Promise<PartRecord> {
  const { home } = upload.bucket;
  const part: PartRecord = { ...facts, tokens: staged.tokens, mtime: Math.floor(timeOf(home).now() / 1000) * 1000 };
  const ref = { container: home.system, name: partName(upload.uploadId, part.number) };
  const { revision } = await home.store.write(ref, EMPTY, { metadata: encodePart(part) }, call);
  if ((await lookUpUpload(upload, call)) !== undefined) return part;

  // Whoever ended the upload may have listed its parts before ours was there: nobody else would remove it.
  await home.store.removeMany(home.system, [{ name: ref.name, revision }], call);
  await home.store.discardParts(stagingRef(upload), call);
  throw noSuchUpload(upload.uploadId);
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
  for await (const part of partsFrom(
    bucket.home,
    { uploadId, first: page.after + 1, pageSize: page.limit + 1 },
    call,
  )) {
    if (parts.length >= page.limit) return { parts, isTruncated: true };
    parts.push(part);
  }
  return { parts, isTruncated: false };
}

/** The parts between two numbers, both inclusive. */
export async function partsBetween(
  { bucket, uploadId }: Pick<Upload, 'bucket' | 'uploadId'>,
  range: { readonly first: number; readonly last: number },
  call: Call,
): Promise<Map<number, PartRecord>> {
  const parts = new Map<number, PartRecord>();
  const pageSize = range.last - range.first + 1;
  for await (const part of partsFrom(bucket.home, { uploadId, first: range.first, pageSize }, call)) {
    if (part.number > range.last) break;
    parts.set(part.number, part);
    if (part.number === range.last) break;
  }
  return parts;
}

async function* partsFrom(
  { store, system }: BucketHome,
  from: { readonly uploadId: string; readonly first: number; readonly pageSize: number },
  call: Call,
): AsyncGenerator<PartRecord, void> {
  const { uploadId } = from;
  const request = { prefix: partsPrefix(uploadId), startAt: partName(uploadId, from.first), pageSize: from.pageSize };
  for await (const page of pagesOf(store, system, request, call)) {
    for (const { name, metadata } of blobsOf(page)) yield decodePart(partNumberOf(uploadId, name), metadata);
  }
}

/** Removes all part records of an upload, with list and bulk calls only. Idempotent. */
export async function removePartRecords({ store, system }: BucketHome, uploadId: string, call: Call): Promise<void> {
  for await (const page of pagesOf(store, system, { prefix: partsPrefix(uploadId) }, call)) {
    const outcomes = await store.removeMany(
      system,
      page.map(({ name }) => ({ name })),
      call,
    );
    const failure = outcomes.find((outcome) => outcome instanceof Error);
    if (failure !== undefined) throw failure;
  }
}

/** Frees the bytes of an upload that has ended, and the blob they were assembled to. Idempotent. */
export async function removeStaging(target: UploadTarget, call: Call): Promise<void> {
  const { store } = target.bucket.home;
  const ref = stagingRef(target);
  await store.discardParts(ref, call);
  try {
    await store.remove(ref, undefined, call);
  } catch (error) {
    if (!isStoreError(error, 'notFound')) throw error;
  }
}
