import { S3Error } from '../../errors/s3-error.ts';
import type { ObjectView } from '../../manifest/objects/object-view.ts';
import type { Checksum } from '../../protocol/checksums/algorithms.ts';
import type { ReadConditions } from '../../protocol/conditions.ts';
import { type ResponseHeaders, checksumHeaders, describeObject, httpDate, quoted } from '../../protocol/headers/object-headers.ts';
import type { HeaderReader, S3Request } from '../../protocol/request.ts';
import type { S3Response } from '../../protocol/response.ts';
import { type SelectedBytes, contentRange } from './select-bytes.ts';

export function readConditions(headers: HeaderReader): ReadConditions {
  return {
    ifMatch: headers.get('if-match'),
    ifNoneMatch: headers.get('if-none-match'),
    ifModifiedSince: headers.get('if-modified-since'),
    ifUnmodifiedSince: headers.get('if-unmodified-since'),
  };
}

/** Headers of a 200 or 206 answer of GetObject and HeadObject. */
export function describeRead(request: S3Request, view: ObjectView, selected: SelectedBytes): ResponseHeaders {
  const headers = describeObject(view);
  headers['content-range'] = contentRange(selected, view.size);
  const partNumber = request.query.get('partNumber');
  if (partNumber !== undefined && view.parts !== undefined) headers['x-amz-mp-parts-count'] = String(view.parts.length);
  if (request.headers.get('x-amz-checksum-mode')?.toUpperCase() === 'ENABLED') {
    Object.assign(headers, checksumHeaders(partNumber === undefined ? checksumOfRange(request, view) : checksumOfPart(view, Number(partNumber))));
  }
  return headers;
}

/** A checksum of the whole object must never come with a part of it: clients would compare them. */
function checksumOfRange(request: S3Request, view: ObjectView): Checksum | undefined {
  return request.headers.get('range') === undefined ? view.checksum : undefined;
}

function checksumOfPart({ checksum, parts }: ObjectView, number: number): Checksum | undefined {
  if (checksum === undefined || parts === undefined) return checksum;
  const value = parts.find((part) => part.number === number)?.checksum;
  return value === undefined ? undefined : { ...checksum, value };
}

/** RFC 9110 15.4.5: what a cache needs to go on with what it has. */
export function notModified(view: ObjectView, version: ResponseHeaders): S3Response {
  return {
    status: 304,
    headers: {
      etag: quoted(view.etag),
      'last-modified': httpDate(view.mtime),
      'cache-control': view.headers.cacheControl,
      expires: view.expires,
      ...version,
    },
  };
}

const OVERRIDES = {
  'response-cache-control': 'cache-control',
  'response-content-disposition': 'content-disposition',
  'response-content-encoding': 'content-encoding',
  'response-content-language': 'content-language',
  'response-content-type': 'content-type',
  'response-expires': 'expires',
} as const;

/** `response-*` parameters: only for signed requests. Control characters cannot become header lines. @throws S3Error InvalidRequest */
export function responseOverrides(request: S3Request): ResponseHeaders {
  const headers: ResponseHeaders = {};
  for (const [parameter, header] of Object.entries(OVERRIDES)) {
    const value = request.query.get(parameter);
    if (value === undefined) continue;
    if (request.authMethod === 'anonymous') {
      throw new S3Error('InvalidRequest', { message: 'Request specific response headers cannot be used for anonymous GET requests.' });
    }
    // eslint-disable-next-line no-control-regex -- exactly the characters that would end or break a header
    headers[header] = Buffer.from(value.replace(/[\x00-\x1f\x7f]/g, ''), 'utf8').toString('latin1');
  }
  return headers;
}
