import { crc32 } from 'node:zlib';
import { S3Error } from '../../errors/s3-error.ts';
import type { ListedEntry, ListingPage } from '../../manifest/index.ts';
import { xml } from '../../protocol/xml/document.ts';
import { LIST_OBJECTS_RESULT, LIST_OBJECTS_V2_RESULT } from '../../protocol/xml/list-shapes.ts';
import type { Operation } from '../operation.ts';
import { type ListParameters, listParameters } from './list-parameters.ts';
import { contentsTexts, objectOwners, pageValues, prefixValues } from './list-values.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html */
export const listObjectsV2: Operation = async (request, context) => {
  const { bucket } = context;
  const { query } = request;
  const parameters = listParameters(request);
  const startAfter = query.get('start-after');
  const token = query.get('continuation-token');
  // A token takes precedence over `start-after`. An empty token counts as none.
  const after = token === undefined || token === '' ? (startAfter ?? '') : decodeContinuationToken(token);

  const { prefix, delimiter, maxKeys, encode } = parameters;
  const { entries, next } = await context.manifest.listing.objects(
    bucket,
    { prefix, delimiter, after, limit: maxKeys },
    context.call,
  );
  const owners = query.get('fetch-owner') === 'true' ? objectOwners(bucket, context) : undefined;
  const value = {
    ...pageValues(bucket, parameters, next !== undefined),
    StartAfter: startAfter === undefined ? undefined : encode(startAfter),
    ContinuationToken: token,
    NextContinuationToken: next === undefined ? undefined : encodeContinuationToken(next),
    KeyCount: entries.length,
    Contents: contentsTexts(entries, parameters, owners),
    CommonPrefixes: prefixValues(entries, parameters),
  };
  return {
    status: 200,
    headers: { 'x-amz-bucket-region': context.settings.region },
    body: xml(LIST_OBJECTS_V2_RESULT, value),
  };
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjects.html */
export const listObjects: Operation = async (request, context) => {
  const { bucket } = context;
  const parameters = listParameters(request);
  const marker = request.query.get('marker') ?? '';

  const { prefix, delimiter, maxKeys, encode } = parameters;
  const page = await context.manifest.listing.objects(
    bucket,
    { prefix, delimiter, after: marker, limit: maxKeys },
    context.call,
  );
  const value = {
    ...pageValues(bucket, parameters, page.next !== undefined),
    // Not encoded: the most used SDK does not decode it in this answer (docs/deviations.md).
    Prefix: prefix,
    Marker: encode(marker),
    NextMarker: nextMarker(page, parameters),
    Contents: contentsTexts(page.entries, parameters, objectOwners(bucket, context)),
    CommonPrefixes: prefixValues(page.entries, parameters),
  };
  return {
    status: 200,
    headers: { 'x-amz-bucket-region': context.settings.region },
    body: xml(LIST_OBJECTS_RESULT, value),
  };
};

/**
 * `NextMarker`, which S3 gives only with a delimiter; without one, clients go on behind the last key. If the page ended
 * behind its last key, they cannot, so the answer names the place.
 */
function nextMarker(
  { next, entries }: ListingPage<ListedEntry>,
  { delimiter, encode }: ListParameters,
): string | undefined {
  if (next === undefined || (delimiter === '' && entries.at(-1)?.key === next)) return undefined;
  return encode(next);
}

const FORMAT = 1;
const HEADER = 5;

/**
 * Token of ListObjectsV2. It says where the page ended, so that any replica can go on at any later time: one byte of
 * format, the CRC32 of the rest (which detects typing errors and tokens of other services), the key in UTF-8; all as
 * base64url.
 */
export function encodeContinuationToken(after: string): string {
  const key = Buffer.from(after);
  const header = Buffer.alloc(HEADER);
  header.writeUInt8(FORMAT);
  header.writeUInt32BE(crc32(key), 1);
  return Buffer.concat([header, key]).toString('base64url');
}

/** @throws S3Error InvalidArgument */
export function decodeContinuationToken(token: string): string {
  const bytes = Buffer.from(token, 'base64url');
  const key = bytes.subarray(HEADER);
  const isOurs =
    bytes.length > HEADER &&
    bytes[0] === FORMAT &&
    bytes.readUInt32BE(1) === crc32(key) &&
    bytes.toString('base64url') === token;
  if (isOurs) return key.toString();
  throw new S3Error('InvalidArgument', {
    message: 'The continuation token provided is incorrect',
    extra: { ArgumentName: 'continuation-token', ArgumentValue: token },
  });
}
