import { createHash } from 'node:crypto';
import type { Call } from '../../observe/call.ts';
import type { BodyFacts } from '../../protocol/body/object-body.ts';
import type { ByteRange, CopySource } from '../../store/blob-store.ts';
import { hashing, passing } from '../heads/copied-bytes.ts';
import { openSource, pinSource, wholeChecksum } from '../heads/copy-source.ts';
import type { CopySourceView, KeepApart } from '../heads/object-requests.ts';
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
  /** As the upload says. */
  readonly keepApart?: KeepApart;
}

/**
 * Makes a part from an existing object: server-side inside one backend; as a stream between two backends, and where a
 * checksum has to be computed. The ETag is the MD5 where it is known (a whole object, or bytes that passed through the
 * gateway), else 32 hex digits derived from source, revision and range.
 * @throws S3Error NoSuchUpload; StoreError sourceNotFound or sourceConditionFailed: the source has changed since it was
 * looked up, look again
 */
export async function copyPart(upload: Upload, copy: PartCopy, call: Call): Promise<PartRecord> {
  const { view, bucket } = copy.source;
  const checksum = knownChecksum(upload, copy);
  const isEncrypted = view.encryption !== undefined || upload.encryption !== undefined;
  if (
    isEncrypted ||
    bucket.home.store !== upload.bucket.home.store ||
    (upload.checksum !== undefined && checksum === undefined)
  ) {
    return copyThrough(upload, copy, call);
  }
  const said = checksum && { checksum };
  if (view.size === 0) {
    return putPart(
      upload,
      { number: copy.number, body: Buffer.alloc(0), facts: { md5: MD5_OF_NOTHING, ...said } },
      call,
    );
  }

  const { source } = await pinSource(copy.source, call);
  const range = copy.range ?? { first: 0, last: view.size - 1 };
  const size = range.last - range.first + 1;
  const staged = await bucket.home.store.stagePartFrom(stagingRef(upload), source, range, call);
  const known = size === view.size ? view.md5 : undefined;
  const etag = known ?? derivedEtag(source, range);
  return recordPart(
    upload,
    { number: copy.number, etag, size, staged, ...(known === undefined && { derived: true }), ...said },
    call,
  );
}

/**
 * The checksum of the part, if the source tells it: all of the source is copied, and its checksum has the algorithm of
 * the upload.
 */
function knownChecksum(upload: Upload, { source: { view }, range }: PartCopy): BodyFacts['checksum'] {
  if (range !== undefined && range.last - range.first + 1 !== view.size) return undefined;
  const whole = upload.checksum === undefined ? undefined : wholeChecksum(view);
  return whole?.algorithm === upload.checksum?.algorithm ? whole : undefined;
}

function derivedEtag({ container, name, revision }: CopySource, { first, last }: Required<ByteRange>): string {
  return createHash('sha256')
    .update(JSON.stringify([container, name, revision, first, last]))
    .digest('hex')
    .slice(0, 32);
}

/** Copies through the gateway, in bounded memory. */
async function copyThrough(
  upload: Upload,
  { number, source, range, keepApart }: PartCopy,
  call: Call,
): Promise<PartRecord> {
  const size = range === undefined ? source.view.size : range.last - range.first + 1;
  const bytes = await openSource(source, range === undefined ? {} : { range }, call);
  return passing(bytes, (whole) => {
    const { stream, facts } = hashing(whole, { size, md5: true, checksum: upload.checksum?.algorithm }, call.signal);
    return putPart(upload, { number, body: { size, stream }, facts, keepApart }, call);
  });
}
