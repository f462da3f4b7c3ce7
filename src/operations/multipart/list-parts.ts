import type { PartRecord } from '../../manifest/index.ts';
import { quoted } from '../../protocol/headers/object-headers.ts';
import { abortHeaders } from '../../protocol/lifecycle/expiration-headers.ts';
import { type XmlValue, xml } from '../../protocol/xml/document.ts';
import { LIST_PARTS_RESULT } from '../../protocol/xml/multipart-shapes.ts';
import { xmlDate } from '../../protocol/xml/xml-date.ts';
import { readCount } from '../bucket/list-parameters.ts';
import { ownerLookup } from '../bucket/list-values.ts';
import { checksumElements } from '../answer-values.ts';
import type { Operation } from '../operation.ts';
import { authorizedUpload } from './authorized-upload.ts';
import { uploadTarget, uploadValues } from './upload-request.ts';

const MAX_PARTS = 1000;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListParts.html */
export const listParts: Operation = async (request, context) => {
  const { bucket } = context;
  const limit = Math.min(readCount(request.query, 'max-parts', MAX_PARTS), MAX_PARTS);
  const after = readCount(request.query, 'part-number-marker', 0);
  const { uploads } = context.manifest;
  const upload = await authorizedUpload(uploadTarget(request, bucket), context);
  const { parts, isTruncated } = await uploads.listParts(upload, { after, limit }, context.call);
  const value = {
    Bucket: bucket.name,
    Key: upload.key,
    UploadId: upload.uploadId,
    ...uploadValues(upload, ownerLookup(context)),
    PartNumberMarker: after,
    // Always there, and 0 behind the last part, as recordings of S3 have it: clients go by IsTruncated.
    NextPartNumberMarker: parts.at(-1)?.number ?? 0,
    MaxParts: limit,
    IsTruncated: isTruncated,
    ChecksumAlgorithm: upload.checksum?.algorithm,
    ChecksumType: upload.checksum?.type,
    Part: parts.map((part) => partValue(part, upload.checksum !== undefined)),
  };
  return { status: 200, headers: abortHeaders(bucket.settings.lifecycle, upload), body: xml(LIST_PARTS_RESULT, value) };
};

/** @param shows of an upload without an algorithm S3 lists no checksums, though its parts may have some */
function partValue({ number, mtime, etag, size, checksum }: PartRecord, shows: boolean): XmlValue {
  return {
    PartNumber: number,
    LastModified: xmlDate(mtime),
    ETag: quoted(etag),
    Size: size,
    ...(shows && checksumElements(checksum)),
  };
}
