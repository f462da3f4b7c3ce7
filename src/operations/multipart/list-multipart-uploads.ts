import type { ListedUpload, UploadPage } from '../../manifest/index.ts';
import type { QueryReader } from '../../protocol/request.ts';
import { encodeForListing } from '../../protocol/percent.ts';
import { type XmlValue, xml } from '../../protocol/xml/document.ts';
import { LIST_MULTIPART_UPLOADS_RESULT } from '../../protocol/xml/multipart-shapes.ts';
import { xmlDate } from '../../protocol/xml/xml-date.ts';
import { readCount, readEncodingType } from '../bucket/list-parameters.ts';
import { type OwnerLookup, ownerLookup } from '../bucket/list-values.ts';
import type { Operation } from '../operation.ts';
import { uploadValues } from './upload-request.ts';

const MAX_UPLOADS = 1000;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListMultipartUploads.html */
export const listMultipartUploads: Operation = async (request, context) => {
  const { bucket } = context;
  const parameters = uploadParameters(request.query);
  const { limit, keyMarker, uploadIdMarker, prefix, delimiter, encode } = parameters;
  const page = await context.manifest.uploads.list(
    bucket,
    { prefix, delimiter, afterKey: keyMarker, ...(keyMarker !== '' && { afterUpload: uploadIdMarker }), limit },
    context.call,
  );
  const ownerOf = ownerLookup(context);
  const value = {
    Bucket: bucket.name,
    KeyMarker: encode(keyMarker),
    // Without the key's marker it counts for nothing, and S3 does not repeat it.
    UploadIdMarker: keyMarker === '' ? '' : uploadIdMarker,
    ...nextMarkers(page, encode),
    Prefix: prefix === '' ? undefined : encode(prefix),
    Delimiter: delimiter === '' ? undefined : encode(delimiter),
    EncodingType: parameters.encodingType,
    MaxUploads: limit,
    IsTruncated: page.isTruncated,
    Upload: page.entries.flatMap((entry) => (entry.kind === 'upload' ? [uploadValue(entry, encode, ownerOf)] : [])),
    CommonPrefixes: page.entries.flatMap((entry) =>
      entry.kind === 'prefix' ? [{ Prefix: encode(entry.prefix) }] : [],
    ),
  };
  return { status: 200, body: xml(LIST_MULTIPART_UPLOADS_RESULT, value) };
};

type Encode = (text: string) => string;

/** @throws S3Error InvalidArgument */
function uploadParameters(query: QueryReader): {
  readonly prefix: string;
  readonly delimiter: string;
  readonly keyMarker: string;
  readonly uploadIdMarker: string;
  readonly limit: number;
  readonly encodingType: 'url' | undefined;
  readonly encode: Encode;
} {
  const encodingType = readEncodingType(query);
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    keyMarker: query.get('key-marker') ?? '',
    uploadIdMarker: query.get('upload-id-marker') ?? '',
    limit: Math.min(readCount(query, 'max-uploads', MAX_UPLOADS), MAX_UPLOADS),
    encodingType,
    encode: encodingType === undefined ? (text) => text : encodeForListing,
  };
}

/**
 * Both markers are in every answer and name the last upload, even on the last page. S3 does not say what they are
 * behind a common prefix; here they name the prefix if more follows, so that a client can go on behind it.
 */
function nextMarkers({ entries, isTruncated }: UploadPage, encode: Encode): Record<string, XmlValue> {
  const last = entries.at(-1);
  if (last?.kind === 'upload') return { NextKeyMarker: encode(last.key), NextUploadIdMarker: last.uploadId };
  return { NextKeyMarker: last !== undefined && isTruncated ? encode(last.prefix) : '', NextUploadIdMarker: '' };
}

function uploadValue(upload: ListedUpload, encode: Encode, ownerOf: OwnerLookup | undefined): XmlValue {
  return {
    Key: encode(upload.key),
    UploadId: upload.uploadId,
    ...uploadValues(upload, ownerOf),
    Initiated: xmlDate(upload.initiatedAt),
    ChecksumAlgorithm: upload.checksum?.algorithm,
    ChecksumType: upload.checksum?.type,
  };
}
