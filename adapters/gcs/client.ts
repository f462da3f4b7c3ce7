import type { Call } from '../../src/observe/call.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { ServiceClock } from '../../src/store/service-clock.ts';
import type { ClockReading } from '../../src/store/survey.ts';
import type { Timeouts } from '../shared/connection-options.ts';
import { isTooLate, repeat } from '../shared/repeat.ts';
import type { RetryBudget } from '../shared/retry-budget.ts';
import { unlessAborted } from '../shared/unless-aborted.ts';
import { sendOnce } from '../shared/wire/attempt.ts';
import type { Service, Take } from '../shared/wire/attempt.ts';
import { headerNumber, headerText } from '../shared/wire/header-text.ts';
import { isStream } from '../shared/wire/is-stream.ts';
import { readClock } from '../shared/wire/read-clock.ts';
import { joinTarget } from '../shared/wire/target.ts';
import type { Transport, WireHeaders, WireResponse } from '../shared/wire/transport.ts';
import type { Credentials } from './credentials.ts';
import { readErrorDocument, refusalError } from './errors.ts';
import type { HotNames } from './hot-names.ts';
import type { BucketNames } from './names.ts';
import type { GcsLimits } from './options.ts';
import type { GcsRequest } from './request.ts';

export interface BucketOptions {
  readonly location?: string;
  readonly storageClass?: string;
}

export interface ClientParts {
  readonly names: BucketNames;
  readonly buckets: BucketOptions;
  readonly credentials: Credentials;
  readonly transport: Transport;
  readonly budget: RetryBudget;
  readonly hotNames: HotNames;
  readonly timeouts: Timeouts;
  readonly limits: GcsLimits;
}

/** Answers that are read into memory stay below this: a page of 1,000 objects with metadata is about 10 MB at worst. */
const MAX_DOCUMENT = 64 * 1024 * 1024;
const MAX_ERROR = 64 * 1024;
const REQUEST_ID = 'x-guploader-uploadid';
/** What work in the background may take before `close` gives it up, in milliseconds. */
const CLOSE_GRACE = 2_000;

interface GcsAttempt<T> {
  readonly request: GcsRequest;
  /** 1 for the first. */
  readonly number: number;
  /** Milliseconds for the head of the answer. */
  readonly within: number;
  readonly take: Take<T>;
}

/** One call from request to answer: authorisation, tracing, repetition and errors, the same for all calls. */
export class GcsClient {
  readonly names: BucketNames;
  readonly buckets: BucketOptions;
  readonly limits: GcsLimits;
  readonly credentials: Credentials;
  /** Number of the project in which buckets are made, once a bucket of it has been seen. */
  projectNumber: string | undefined;
  /** What answers say of our clock. */
  readonly clock = new ServiceClock();
  readonly #parts: ClientParts;
  readonly #service: Service = { system: 'gcs', requestIdHeader: REQUEST_ID, clock: this.clock };
  readonly #closing = new AbortController();
  readonly #background = new Set<Promise<void>>();

  constructor(parts: ClientParts) {
    this.#parts = parts;
    this.names = parts.names;
    this.buckets = parts.buckets;
    this.limits = parts.limits;
    this.credentials = parts.credentials;
  }

  /** The answer, if it is a success; its body is the caller's to read or discard. @throws StoreError */
  send(request: GcsRequest, call: Call): Promise<WireResponse> {
    return this.#inTurn(request, call, asItIs);
  }

  /** For answers that are a JSON object; `T` is what the service documents, all of it optional. @throws StoreError */
  sendForJson<T extends object>(request: GcsRequest, call: Call): Promise<Partial<T>> {
    return this.#inTurn<Partial<T>>(request, call, jsonOf);
  }

  /** For answers whose body says nothing. @throws StoreError */
  sendForNothing(request: GcsRequest, call: Call): Promise<void> {
    return this.#inTurn(request, call, ({ body }) => body.discard());
  }

  /** Waits before a call that failed is sent again; false when it shall not be. @throws StoreError aborted, lost if the call was */
  async mayTryAgain(attempt: number, error: StoreError, call: Call): Promise<boolean> {
    if (isTooLate(this.#parts.timeouts, 0, call) || !this.#parts.budget.take(attempt)) return false;
    try {
      await this.#parts.budget.pause(attempt, error.detail.retryAfter, call.signal);
      return true;
    } catch (cause) {
      throw new StoreError('aborted', { ...(error.detail.call !== undefined && { call: error.detail.call }), ...(error.lost && { lost: true }), cause });
    }
  }

  /** Cleaning up that nobody waits for and that may fail: what it leaves, a later `discardParts` finds. */
  inBackground(call: Call, work: (call: Call) => Promise<unknown>): void {
    const own: Call = { ...call, signal: this.#closing.signal, facts: call.facts.apart() };
    const done: Promise<void> = work(own).then(() => undefined, () => undefined).finally(() => this.#background.delete(done));
    this.#background.add(done);
  }

  /** Asked without a credential, so that any path will do. @throws StoreError */
  readClock(path: string, call: Call): Promise<ClockReading> {
    return readClock(this.#parts.transport, path, call);
  }

  async close(): Promise<void> {
    const timer = setTimeout(() => this.#closing.abort(new Error('closed')), CLOSE_GRACE);
    await Promise.all(this.#background);
    clearTimeout(timer);
    this.#closing.abort(new Error('closed'));
    await this.#parts.transport.close();
  }

  #inTurn<T>(request: GcsRequest, call: Call, take: Take<T>): Promise<T> {
    if (request.changes === undefined) return this.#repeat(request, call, take);
    return this.#parts.hotNames.run(request.changes, !isStream(request.body), call, () => this.#repeat(request, call, take));
  }

  #repeat<T>(request: GcsRequest, call: Call, take: Take<T>): Promise<T> {
    const work = {
      call: request.call,
      pace: request.pace ?? 'response',
      mayRepeat: (error: StoreError) => mayRepeat(request, error),
      send: (number: number, within: number) => this.#attempt({ request, number, within, take }, call),
    };
    return repeat(this.#parts, work, call);
  }

  async #attempt<T>({ request, number, within, take }: GcsAttempt<T>, call: Call): Promise<T> {
    const wire = {
      method: request.method,
      path: joinTarget(request.path, request.query),
      headers: await this.#headers(request, within, call),
      responseTimeout: within,
      // Last: properties behind a spread are off V8's fast paths.
      ...(request.body !== undefined && { body: request.body }),
      ...(request.frame !== undefined && { frame: request.frame }),
    };
    return sendOnce(this.#parts.transport, this.#service, { request, number, wire, refusalOf: (response) => refusalOf(request, response, within), take }, call);
  }

  async #headers(request: GcsRequest, within: number, call: Call): Promise<string[]> {
    const pending = this.#parts.credentials.authorization();
    const proof = pending instanceof Promise ? await unlessAborted(pending, call.signal, within) : pending;
    return [...(request.headers ?? []), ...(proof === undefined ? [] : ['authorization', proof])];
  }
}

function asItIs(response: WireResponse): WireResponse {
  return response;
}

async function jsonOf<T extends object>({ body }: WireResponse, within: number): Promise<Partial<T>> {
  const bytes = await body.bytes(MAX_DOCUMENT, within);
  const value: unknown = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('answer is no JSON object');
  return value;
}

/**
 * A change that may have been applied is the caller's to repeat, and a stream can be sent only once.
 * Changes that are throttled wait for their turn elsewhere.
 */
function mayRepeat(request: GcsRequest, error: StoreError): boolean {
  if (request.effect === 'read') return error.kind === 'unavailable' || error.kind === 'throttled';
  return error.kind === 'unavailable' && !error.lost && !isStream(request.body);
}

async function refusalOf(request: GcsRequest, response: WireResponse, within: number): Promise<StoreError> {
  const { status, headers } = response;
  return refusalError(request, {
    status,
    ...(await errorDocument(response, within)),
    requestId: text(headers, REQUEST_ID),
    retryAfter: headerNumber(headers, 'retry-after'),
  });
}

async function errorDocument(response: WireResponse, within: number): Promise<ReturnType<typeof readErrorDocument>> {
  try {
    return readErrorDocument(Buffer.from(await response.body.bytes(MAX_ERROR, within)).toString('utf8'));
  } catch {
    // The status alone decides then: an error page that breaks off is still an error page.
    return { code: undefined, message: undefined };
  }
}

/** A header's value; undefined when it is absent or empty. Bytes beyond ASCII are UTF-8. */
export function text(headers: WireHeaders, name: string): string | undefined {
  const value = headerText(headers, name);
  return value !== undefined && /[\x80-\xff]/.test(value) ? Buffer.from(value, 'latin1').toString('utf8') : value;
}
