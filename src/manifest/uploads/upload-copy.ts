import { createHash } from 'node:crypto';
import { Transform, pipeline } from 'node:stream';
import type { Call } from '../../observe/call.ts';
import type { ByteRange, CopySource } from '../../store/blob-store.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import { openView } from '../heads/object-read.ts';
import type { CopySourceView } from '../heads/object-requests.ts';
import type { Upload } from './upload-find.ts';
import { putPart, recordPart } from './upload-parts.ts';
import { stagingRef } from '../records/upload-names.ts';
import type { PartRecord } from '../records/upload-part-record.ts';

const MD5_OF_NOTHING = createHash('md5').digest('hex');

export interface PartCopy {
  readonly number: number;
  readonly source: CopySourceView;
  /** Inside the source; absent: all of it. */
  readonly range?: Required<ByteRange>;
}

/**
 * A part from an object that is there already: server-side inside one backend, as a stream between
 * two. The ETag is the MD5 where it is known (a whole object, or bytes that passed through here),
 * else 32 hex digits that change with source, revision and range.
 *
 * @throws S3Error NoSuchUpload; StoreError sourceNotFound or sourceConditionFailed when the source
 * changed since it was looked up (look again)
 */
export async function copyPart(upload: Upload, copy: PartCopy, call: Call): Promise<PartRecord> {
  const { view, bucket } = copy.source;
  if (bucket.home.store !== upload.bucket.home.store) return copyThrough(upload, copy, call);
  if (view.size === 0) return putPart(upload, { number: copy.number, body: Buffer.alloc(0), facts: { md5: MD5_OF_NOTHING } }, call);

  const source = await pin(copy, call);
  const range = copy.range ?? { first: 0, last: view.size - 1 };
  const size = range.last - range.first + 1;
  const staged = await bucket.home.store.stagePartFrom(stagingRef(upload), source, range, call);
  const known = size === view.size ? view.md5 : undefined;
  const etag = known ?? derivedEtag(source, range);
  return recordPart(upload, { number: copy.number, etag, size, staged, ...(known === undefined && { derived: true }) }, call);
}

/** The source at the revision that was looked up; a private blob never changes, but may be settled away. */
async function pin({ source: { bucket, view } }: PartCopy, call: Call): Promise<CopySource> {
  const { ref, revision } = view.bytes;
  try {
    return { ...ref, revision: revision ?? (await bucket.home.store.head(ref, call)).revision };
  } catch (error) {
    throw asSourceChanged(error);
  }
}

function derivedEtag({ container, name, revision }: CopySource, { first, last }: Required<ByteRange>): string {
  return createHash('sha256').update(JSON.stringify([container, name, revision, first, last])).digest('hex').slice(0, 32);
}

async function copyThrough(upload: Upload, { number, source, range }: PartCopy, call: Call): Promise<PartRecord> {
  const size = range === undefined ? source.view.size : range.last - range.first + 1;
  const md5 = createHash('md5');
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      md5.update(chunk);
      done(null, chunk);
    },
  });
  const bytes = await openView(source.bucket, source.view, range === undefined ? {} : { range }, call).catch((error: unknown) => {
    throw asSourceChanged(error);
  });
  const facts = new Promise<{ md5: string }>((resolve, reject) => {
    pipeline(bytes.stream(), hashing, (error) => (error ? reject(error) : resolve({ md5: md5.digest('hex') })));
  });
  facts.catch(() => undefined); // whoever reads the stream is told of its failure too
  return putPart(upload, { number, body: { size, stream: hashing }, facts }, call);
}

function asSourceChanged(error: unknown): unknown {
  if (!isStoreError(error, 'notFound', 'conditionFailed')) return error;
  return new StoreError('sourceConditionFailed', { call: 'read', cause: error });
}
