import type { CustomerKey } from '../../store/customer-key.ts';
import { shownKey } from '../encryption.ts';
import { type VersionTarget, versionTarget } from '../object-version.ts';
import type { OperationContext } from '../operation.ts';
import { type ByteSelection, selectionOf } from './select-bytes.ts';
import { S3Error, invalidArgument } from '../../errors/s3-error.ts';
import {
  type ConditionTarget,
  type ReadConditions,
  failedCondition,
  preconditionFailed,
} from '../../protocol/conditions.ts';
import { isFieldValue, withoutOuterBlanks } from '../../protocol/headers/field-text.ts';
import {
  type DescribedObject,
  type ResponseHeaders,
  describeUnmodified,
} from '../../protocol/headers/object-headers.ts';
import type { HeaderReader, S3Request } from '../../protocol/request.ts';
import type { S3Response } from '../../protocol/response.ts';

/** What a GetObject or HeadObject asks for: a version, some of its bytes, and on which conditions. */
export interface ReadTarget extends VersionTarget {
  readonly selection: ByteSelection;
  readonly conditions: ReadConditions;
  /** The customer's key (SSE-C) that the client sends. */
  readonly shown: CustomerKey | undefined;
  /** Headers of the answer that the client asks for in place of the object's own. */
  readonly overrides: ResponseHeaders;
}

/** @throws S3Error InvalidArgument, InvalidRequest, AccessDenied */
export function readTarget(request: S3Request, context: OperationContext): ReadTarget {
  const { bucket, key, versionId } = versionTarget(request, context);
  const overrides = responseOverrides(request);
  const shown = shownKey({ headers: request.headers }, context);
  const selection = selectionOf(request);
  return { bucket, key, versionId, selection, conditions: readConditions(request.headers), shown, overrides };
}

export function readConditions(headers: HeaderReader): ReadConditions {
  return {
    ifMatch: headers.get('if-match'),
    ifNoneMatch: headers.get('if-none-match'),
    ifModifiedSince: headers.get('if-modified-since'),
    ifUnmodifiedSince: headers.get('if-unmodified-since'),
  };
}

/** @returns `notModified` for a 304. @throws S3Error PreconditionFailed */
export function requireConditions(view: ConditionTarget, conditions: ReadConditions): 'notModified' | undefined {
  const failed = failedCondition(conditions, view, Date.now());
  if (failed === undefined) return undefined;
  if (failed === 'If-None-Match' || failed === 'If-Modified-Since') return 'notModified';
  throw preconditionFailed(failed);
}

export function notModified(view: DescribedObject, version: ResponseHeaders): S3Response {
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

/** One character, one byte: S3 writes such headers in ISO-8859-1. @throws S3Error InvalidArgument */
function fieldValue(parameter: string, value: string): string {
  if (BEYOND_LATIN1.test(value)) {
    throw invalidArgument(parameter, value, 'Header value cannot be represented using ISO-8859-1.');
  }
  if (!isFieldValue(value)) {
    throw invalidArgument(parameter, value, 'The value of the parameter cannot be the value of a header.');
  }
  return withoutOuterBlanks(value);
}

const BEYOND_LATIN1 = /[\u0100-\uffff]/;

/**
 * `response-*` parameters: only for signed requests.
 * @throws S3Error InvalidRequest, InvalidArgument (what no header line can carry)
 */
function responseOverrides(request: S3Request): ResponseHeaders {
  const headers: ResponseHeaders = {};
  for (const [parameter, header] of OVERRIDES) {
    const value = request.query.get(parameter);
    if (value === undefined) continue;
    if (request.authMethod === 'anonymous') {
      throw new S3Error('InvalidRequest', {
        message: 'Request specific response headers cannot be used for anonymous GET requests.',
      });
    }
    headers[header] = fieldValue(parameter, value);
  }
  return headers;
}
