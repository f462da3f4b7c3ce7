import { S3Error, invalidArgument } from '../../errors/s3-error.ts';
import type { ObjectView } from '../../manifest/records/object-view.ts';
import type { Checksum } from '../../protocol/checksums/algorithms.ts';
import type { ReadConditions } from '../../protocol/conditions.ts';
import { asFieldValue } from '../../protocol/headers/field-text.ts';
import {
  type ResponseHeaders,
  checksumHeaders,
  describeObject,
  describeUnmodified,
} from '../../protocol/headers/object-headers.ts';
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
    Object.assign(
      headers,
      checksumHeaders(
        partNumber === undefined ? checksumOfRange(request, view) : checksumOfPart(view, Number(partNumber)),
      ),
    );
  }
  return headers;
}

/**
 * The checksum to answer with. A part of the object must never come with the checksum of the whole object, because
 * clients would compare them.
 */
function checksumOfRange(request: S3Request, view: ObjectView): Checksum | undefined {
  return request.headers.get('range') === undefined ? view.checksum : undefined;
}

function checksumOfPart({ checksum, parts }: ObjectView, number: number): Checksum | undefined {
  if (checksum === undefined || parts === undefined) return checksum;
  const value = parts.find((part) => part.number === number)?.checksum;
  return value === undefined ? undefined : { ...checksum, value };
}

export function notModified(view: ObjectView, version: ResponseHeaders): S3Response {
  return { status: 304, headers: { ...describeUnmodified(view), ...version } };
}

/** Parameters, and the headers that they override. */
const OVERRIDES = [
  ['response-cache-control', 'cache-control'],
  ['response-content-disposition', 'content-disposition'],
  ['response-content-encoding', 'content-encoding'],
  ['response-content-language', 'content-language'],
  ['response-content-type', 'content-type'],
  ['response-expires', 'expires'],
] as const;

/**
 * `response-*` parameters: only for signed requests.
 * @throws S3Error InvalidRequest, InvalidArgument (what no header line can carry)
 */
export function responseOverrides(request: S3Request): ResponseHeaders {
  const headers: ResponseHeaders = {};
  for (const [parameter, header] of OVERRIDES) {
    const value = request.query.get(parameter);
    if (value === undefined) continue;
    if (request.authMethod === 'anonymous') {
      throw new S3Error('InvalidRequest', {
        message: 'Request specific response headers cannot be used for anonymous GET requests.',
      });
    }
    const field = asFieldValue(value);
    if (field === undefined) {
      throw invalidArgument(parameter, value, 'The value of the parameter cannot be the value of a header.');
    }
    headers[header] = field;
  }
  return headers;
}
