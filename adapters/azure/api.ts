import type { Call } from '../../src/observe/call.ts';
import type { StoreError } from '../../src/store/store-error.ts';
import type { RestApi } from '../shared/rest-client.ts';
import { errorText } from '../shared/wire/answers.ts';
import { headerNumber, headerText, isStream, joinTarget, type WireResponse } from '../shared/wire/transport.ts';
import type { Authorizer } from './authorize.ts';
import { refusalError } from './errors.ts';
import { API_VERSION } from './request.ts';
import type { AzureRequest } from './request.ts';

const REQUEST_ID = 'x-ms-request-id';

/**
 * Describes the Blob service's REST API to the REST client: its headers, its authorisation, which calls may be
 * repeated, how it refuses.
 */
export function azureApi(authorizer: Authorizer): RestApi<AzureRequest> {
  return {
    system: 'azure',
    requestIdHeader: REQUEST_ID,
    target: (request) => target(request, authorizer.query),
    headers: headersOf,
    authorization: (request, headers, size) => authorizer.header(request, headers, size),
    // The caller decides about a change that may have been applied, and a stream can be sent only once.
    mayRepeat: ({ effect, body }, error) => effect === 'read' || (!error.lost && !isStream(body)),
    refusal,
  };
}

/** `extraQuery` is what a shared access signature adds, encoded already. */
function target({ path, query }: AzureRequest, extraQuery: string): string {
  return withQuery(joinTarget(path, query), extraQuery);
}

export function withQuery(target: string, extraQuery: string): string {
  if (extraQuery === '') return target;
  return `${target}${target.includes('?') ? '&' : '?'}${extraQuery}`;
}

const CLIENT_REQUEST_ID = 'x-ms-client-request-id';
const DATE = 'x-ms-date';
const VERSION = 'x-ms-version';

function headersOf(request: AzureRequest, call: Call): string[] {
  const common = [CLIENT_REQUEST_ID, call.requestId, DATE, httpDateNow(), VERSION, request.version ?? API_VERSION];
  const headers = [...common, ...(request.ms ?? [])];
  if (request.contentMd5 !== undefined) headers.push('content-md5', request.contentMd5);
  if (request.contentType !== undefined) headers.push('content-type', request.contentType);
  if (request.ifMatch !== undefined) headers.push('if-match', request.ifMatch);
  if (request.ifNoneMatch !== undefined) headers.push('if-none-match', request.ifNoneMatch);
  if (request.ifUnmodifiedSince !== undefined) headers.push('if-unmodified-since', request.ifUnmodifiedSince);
  return headers;
}

/** Now, as RFC 1123 writes it. */
export function httpDateNow(): string {
  return new Date().toUTCString();
}

async function refusal(request: AzureRequest, response: WireResponse, within: number): Promise<StoreError> {
  const { headers } = response;
  return refusalError(request, {
    status: response.status,
    code: await errorCode(response, within),
    requestId: headerText(headers, REQUEST_ID),
    retryAfter: headerNumber(headers, 'retry-after'),
    sourceStatus: headerNumber(headers, 'x-ms-copy-source-status-code'),
    sourceCode: headerText(headers, 'x-ms-copy-source-error-code'),
  });
}

/** The error code. As a rule a header has it; some answers have it in the body only. */
async function errorCode(response: WireResponse, within: number): Promise<string | undefined> {
  const code = headerText(response.headers, 'x-ms-error-code');
  if (code === undefined) return /<Code>(\w{1,100})<\/Code>/.exec((await errorText(response, within)) ?? '')?.[1];
  response.body.discard();
  return code;
}
