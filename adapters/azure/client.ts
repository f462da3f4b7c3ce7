import type { Call } from '../../src/observe/call.ts';
import type { StoreError } from '../../src/store/store-error.ts';
import { ServiceClock } from '../../src/store/service-clock.ts';
import type { ClockReading } from '../../src/store/survey.ts';
import { bodySize } from '../../src/streams/bytes.ts';
import type { Timeouts } from '../shared/connection-options.ts';
import { endOfEmpty } from '../shared/empty-body.ts';
import { repeat } from '../shared/repeat.ts';
import type { RetryBudget } from '../shared/retry-budget.ts';
import { unlessAborted } from '../shared/unless-aborted.ts';
import { sendOnce } from '../shared/wire/attempt.ts';
import type { Service, Take } from '../shared/wire/attempt.ts';
import { headerNumber, headerText } from '../shared/wire/header-text.ts';
import { isStream } from '../shared/wire/is-stream.ts';
import { readClock } from '../shared/wire/read-clock.ts';
import { joinTarget } from '../shared/wire/target.ts';
import type { Transport, WireHeaders, WireResponse } from '../shared/wire/transport.ts';
import type { Authorizer } from './authorize.ts';
import type { Endpoint } from './endpoint.ts';
import { refusalError } from './errors.ts';
import type { AzureLimits } from './options.ts';
import { API_VERSION } from './request.ts';
import type { AzureRequest } from './request.ts';

export interface ClientParts {
  readonly endpoint: Endpoint;
  readonly authorizer: Authorizer;
  readonly transport: Transport;
  readonly budget: RetryBudget;
  readonly timeouts: Timeouts;
  readonly limits: AzureLimits;
}

/** Answers that are read into memory stay below this: a page of 5,000 entries with metadata is about 50 MB at worst. */
const MAX_DOCUMENT = 64 * 1024 * 1024;
const MAX_ERROR = 64 * 1024;
const REQUEST_ID = 'x-ms-request-id';

interface AzureAttempt<T> {
  readonly request: AzureRequest;
  /** 1 for the first. */
  readonly number: number;
  /** Milliseconds for the head of the answer. */
  readonly within: number;
  readonly take: Take<T>;
}

/** One REST call from request to answer: authorisation, tracing, repetition and errors, the same for all calls. */
export class AzureClient {
  readonly endpoint: Endpoint;
  readonly limits: AzureLimits;
  /** What answers say of our clock. */
  readonly clock = new ServiceClock();
  readonly #parts: ClientParts;
  readonly #service: Service = { system: 'azure', requestIdHeader: REQUEST_ID, clock: this.clock };

  constructor(parts: ClientParts) {
    this.#parts = parts;
    this.endpoint = parts.endpoint;
    this.limits = parts.limits;
  }

  /** The answer, if it is a success; its body is the caller's to read or discard. @throws StoreError */
  send(request: AzureRequest, call: Call): Promise<WireResponse> {
    return this.#repeat(request, call, asItIs);
  }

  /** For answers whose body says nothing. @throws StoreError */
  sendForHeaders(request: AzureRequest, call: Call): Promise<WireHeaders> {
    return this.#repeat(request, call, headersAlone);
  }

  /** For answers that are a document. @throws StoreError */
  sendForDocument(request: AzureRequest, call: Call): Promise<string> {
    return this.#repeat(request, call, documentOf);
  }

  /** Asked without a credential. @throws StoreError */
  readClock(call: Call): Promise<ClockReading> {
    return readClock(this.#parts.transport, `${this.endpoint.basePath}/?comp=list`, call);
  }

  close(): Promise<void> {
    return this.#parts.transport.close();
  }

  async #repeat<T>(given: AzureRequest, call: Call, take: Take<T>): Promise<T> {
    const request = given.body === undefined || bodySize(given.body) > 0 ? given : await withoutBody(given, call);
    const pace = request.pace ?? (request.copies === true ? 'copy' : 'response');
    const work = {
      call: request.call,
      pace,
      mayRepeat: (error: StoreError) => mayRepeat(request, error),
      send: (number: number, within: number) => this.#attempt({ request, number, within, take }, call),
    };
    return repeat(this.#parts, work, call);
  }

  async #attempt<T>({ request, number, within, take }: AzureAttempt<T>, call: Call): Promise<T> {
    const { authorizer, transport } = this.#parts;
    const size = request.body === undefined ? 0 : bodySize(request.body);
    const { method, body } = request;
    const path = target(request, authorizer.query);
    const headers = await this.#headers(request, { size, within }, call);
    // No spread of what may be absent: V8 leaves its fast paths for properties behind one, 2 us of a small GET.
    const wire = body === undefined ? { method, path, headers, responseTimeout: within } : { method, path, headers, responseTimeout: within, body };
    return sendOnce(transport, this.#service, { request, number, wire, refusalOf: (response) => refusalOf(request, response, within), take }, call);
  }

  async #headers(request: AzureRequest, { size, within }: { size: number; within: number }, call: Call): Promise<string[]> {
    const ms = ['x-ms-client-request-id', call.requestId, 'x-ms-date', httpDate(), ...(request.ms ?? []), 'x-ms-version', API_VERSION];
    const pending = this.#parts.authorizer.header(request, ms, size);
    const proof = pending instanceof Promise ? await unlessAborted(pending, call.signal, within) : pending;
    if (request.contentMd5 !== undefined) ms.push('content-md5', request.contentMd5);
    if (request.contentType !== undefined) ms.push('content-type', request.contentType);
    if (request.ifMatch !== undefined) ms.push('if-match', request.ifMatch);
    if (request.ifNoneMatch !== undefined) ms.push('if-none-match', request.ifNoneMatch);
    if (request.ifUnmodifiedSince !== undefined) ms.push('if-unmodified-since', request.ifUnmodifiedSince);
    if (proof !== undefined) ms.push('authorization', proof);
    return ms;
  }
}

function asItIs(response: WireResponse): WireResponse {
  return response;
}

function headersAlone({ headers, body }: WireResponse): WireHeaders {
  body.discard();
  return headers;
}

async function documentOf({ body }: WireResponse, within: number): Promise<string> {
  const bytes = await body.bytes(MAX_DOCUMENT, within);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** `extraQuery` is what a shared access signature adds, encoded already. */
function target({ path, query }: AzureRequest, extraQuery: string): string {
  const whole = joinTarget(path, query);
  if (extraQuery === '') return whole;
  return `${whole}${query === undefined ? '?' : '&'}${extraQuery}`;
}

/** A change that may have been applied is the caller's to repeat, and a stream can be sent only once. */
function mayRepeat(request: AzureRequest, error: StoreError): boolean {
  if (request.effect === 'read') return true;
  return !error.lost && !isStream(request.body);
}

/** The service takes no body for one of no bytes. */
async function withoutBody({ body, ...rest }: AzureRequest, call: Call): Promise<AzureRequest> {
  if (body !== undefined) await endOfEmpty(body, rest.call, call);
  return rest;
}

async function refusalOf(request: AzureRequest, response: WireResponse, within: number): Promise<StoreError> {
  const { headers } = response;
  return refusalError(request, {
    status: response.status,
    code: await errorCode(response, within),
    requestId: headerText(headers, REQUEST_ID),
    retryAfter: headerNumber(headers, 'retry-after'),
    sourceStatus: headerNumber(headers, 'x-ms-copy-source-status-code'),
  });
}

/** The header names the code, as a rule; some answers have it in the body only. */
async function errorCode(response: WireResponse, within: number): Promise<string | undefined> {
  const code = headerText(response.headers, 'x-ms-error-code');
  if (code !== undefined) {
    response.body.discard();
    return code;
  }
  try {
    const bytes = await response.body.bytes(MAX_ERROR, within);
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
