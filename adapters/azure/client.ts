import { startBackendSpan } from '../../src/observe/backend-span.ts';
import type { Call } from '../../src/observe/call.ts';
import { StoreError, isStoreError } from '../../src/store/store-error.ts';
import { bodySize } from '../../src/streams/bytes.ts';
import type { UploadBody } from '../../src/streams/bytes.ts';
import { endOfEmpty } from '../shared/empty-body.ts';
import type { RetryBudget } from '../shared/retry-budget.ts';
import { unlessAborted } from '../shared/unless-aborted.ts';
import type { Authorizer } from './authorize.ts';
import type { Endpoint } from './endpoint.ts';
import { refusalError, wireFailureError } from './errors.ts';
import { text } from './headers.ts';
import type { AzureLimits, AzureTimeouts } from './options.ts';
import { API_VERSION } from './request.ts';
import type { AzureRequest } from './request.ts';
import type { Transport, WireHeaders, WireResponse } from '../shared/wire/transport.ts';

export interface ClientParts {
  readonly endpoint: Endpoint;
  readonly authorizer: Authorizer;
  readonly transport: Transport;
  readonly budget: RetryBudget;
  readonly timeouts: AzureTimeouts;
  readonly limits: AzureLimits;
}

/** Answers that are read into memory stay below this: a page of 5,000 entries with metadata is about 50 MB at worst. */
const MAX_DOCUMENT = 64 * 1024 * 1024;
const MAX_ERROR = 64 * 1024;

/** One REST call from request to answer: authorisation, tracing, repetition and errors, the same for all calls. */
export class AzureClient {
  readonly endpoint: Endpoint;
  readonly limits: AzureLimits;
  readonly #parts: ClientParts;

  constructor(parts: ClientParts) {
    this.#parts = parts;
    this.endpoint = parts.endpoint;
    this.limits = parts.limits;
  }

  /** The answer, if it is a success; its body is the caller's to read or discard. @throws StoreError */
  async send(request: AzureRequest, call: Call): Promise<WireResponse> {
    const ready = request.body === undefined || bodySize(request.body) > 0 ? request : await withoutBody(request, call);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const response = await this.#attempt(ready, call, attempt);
        this.#parts.budget.succeeded();
        return response;
      } catch (error) {
        if (!mayRepeat(ready, error) || !this.#parts.budget.take(attempt)) throw error;
        await this.#pause(ready, call, attempt, error);
      }
    }
  }

  /** For answers whose body says nothing. @throws StoreError */
  async sendForHeaders(request: AzureRequest, call: Call): Promise<WireHeaders> {
    const response = await this.send(request, call);
    response.body.discard();
    return response.headers;
  }

  /** For answers that are a document. @throws StoreError */
  async sendForDocument(request: AzureRequest, call: Call): Promise<string> {
    const response = await this.send(request, call);
    const bytes = await response.body.bytes(MAX_DOCUMENT);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  }

  close(): Promise<void> {
    return this.#parts.transport.close();
  }

  async #attempt(request: AzureRequest, call: Call, attempt: number): Promise<WireResponse> {
    const { transport, timeouts } = this.#parts;
    const size = request.body === undefined ? 0 : bodySize(request.body);
    const headers = await this.#headers(request, call, size);
    const span = startBackendSpan(call, { system: 'azure', operation: request.call, method: request.method, attempt, bytesSent: size });
    let response: WireResponse;
    try {
      response = await transport.send(
        {
          method: request.method,
          path: target(request, this.#parts.authorizer.query),
          headers,
          ...(request.body === undefined ? {} : { body: request.body }),
          responseTimeout: request.copies === true ? timeouts.copy : timeouts.response,
        },
        call.signal,
      );
    } catch (error) {
      span.failed(error);
      throw wireFailureError(request, error);
    }
    const error = response.status < 300 ? undefined : await refusalOf(request, response);
    const { status, headers: answered, body } = response;
    span.answered({ status, requestId: text(answered, 'x-ms-request-id'), bytesReceived: body.size }, error);
    if (error !== undefined) throw error;
    return response;
  }

  async #headers(request: AzureRequest, call: Call, size: number): Promise<string[]> {
    const ms = ['x-ms-client-request-id', call.requestId, 'x-ms-date', httpDate(), ...(request.ms ?? []), 'x-ms-version', API_VERSION];
    const pending = this.#parts.authorizer.header(request, ms, size);
    const proof = pending instanceof Promise ? await unlessAborted(pending, call.signal) : pending;
    if (request.contentMd5 !== undefined) ms.push('content-md5', request.contentMd5);
    if (request.contentType !== undefined) ms.push('content-type', request.contentType);
    if (request.ifMatch !== undefined) ms.push('if-match', request.ifMatch);
    if (request.ifNoneMatch !== undefined) ms.push('if-none-match', request.ifNoneMatch);
    if (proof !== undefined) ms.push('authorization', proof);
    return ms;
  }

  async #pause(request: AzureRequest, call: Call, attempt: number, error: unknown): Promise<void> {
    const retryAfter = isStoreError(error) ? error.detail.retryAfter : undefined;
    try {
      await this.#parts.budget.pause(attempt, retryAfter, call.signal);
    } catch (cause) {
      throw new StoreError('aborted', { call: request.call, cause });
    }
  }
}

function target(request: AzureRequest, extraQuery: string): string {
  if (request.query === undefined) return extraQuery === '' ? request.path : `${request.path}?${extraQuery}`;
  let path = request.path;
  let separator = '?';
  for (const [name, value] of request.query) {
    path += `${separator}${name}=${encodeURIComponent(value)}`;
    separator = '&';
  }
  return extraQuery === '' ? path : `${path}&${extraQuery}`;
}

/** A change that may have been applied is the caller's to repeat, and a stream can be sent only once. */
function mayRepeat(request: AzureRequest, error: unknown): boolean {
  if (!isStoreError(error, 'unavailable', 'throttled')) return false;
  if (request.effect === 'read') return true;
  return !error.lost && !isStream(request.body);
}

function isStream(body: UploadBody | undefined): boolean {
  return body !== undefined && !(body instanceof Uint8Array);
}

/** The service takes no body for one of no bytes. */
async function withoutBody({ body, ...rest }: AzureRequest, call: Call): Promise<AzureRequest> {
  if (body !== undefined) await endOfEmpty(body, rest.call, call);
  return rest;
}

async function refusalOf(request: AzureRequest, response: WireResponse): Promise<StoreError> {
  const { headers } = response;
  const retryAfter = Number(text(headers, 'retry-after'));
  const sourceStatus = Number(text(headers, 'x-ms-copy-source-status-code'));
  return refusalError(request, {
    status: response.status,
    code: await errorCode(response),
    requestId: text(headers, 'x-ms-request-id'),
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
    sourceStatus: Number.isFinite(sourceStatus) ? sourceStatus : undefined,
  });
}

/** The header names the code, as a rule; some answers have it in the body only. */
async function errorCode(response: WireResponse): Promise<string | undefined> {
  const code = text(response.headers, 'x-ms-error-code');
  if (code !== undefined) {
    response.body.discard();
    return code;
  }
  try {
    const bytes = await response.body.bytes(MAX_ERROR);
    return /<Code>(\w{1,100})<\/Code>/.exec(Buffer.from(bytes).toString('utf8'))?.[1];
  } catch {
    // The status alone decides then: an error page that breaks off is still an error page.
    return undefined;
  }
}

let dateSecond = 0;
let dateText = '';

/** RFC 1123 date, made anew once a second. */
function httpDate(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(second * 1000).toUTCString();
  }
  return dateText;
}
