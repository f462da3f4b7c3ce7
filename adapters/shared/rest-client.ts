/*
 * What adapters share. Begin here: one call of a service from its description to its answer. `repeat.ts` repeats it,
 * `wire/` moves its bytes (`transport.ts` is the port), `http1/` is the client for plain connections, `batch/` packs
 * several calls in one request.
 */
import type { Call } from '../../src/observe/call.ts';
import { ServiceClock } from '../../src/store/service-clock.ts';
import { StoreError } from '../../src/store/store-error.ts';
import type { ClockReading, ConnectionLane } from '../../src/store/survey.ts';
import { bodySize } from '../../src/streams/bytes.ts';
import type { UploadBody } from '../../src/streams/bytes.ts';
import type { Timeouts } from './connection-options.ts';
import { endOfEmpty } from './empty-body.ts';
import { isTooLate, repeat } from './repeat.ts';
import type { TimeoutName } from './repeat.ts';
import type { RetryBudget } from './retry-budget.ts';
import { unlessAborted } from './unless-aborted.ts';
import { asItIs, bytesOf, headersAlone, jsonOf, clockOfService, textOf } from './wire/answers.ts';
import { sendOnce } from './wire/attempt.ts';
import type { CalledService, Take } from './wire/attempt.ts';
import type { BodyFrame, Transport, WireHeaders, WireMethod, WireRequest, WireResponse } from './wire/transport.ts';

/**
 * One REST call, before ids and authorisation are added. The type of a service adds what that service needs beyond
 * this.
 */
export interface RestRequest {
  /** Port method, for errors and spans. */
  readonly call: string;
  readonly method: WireMethod;
  /** Percent-encoded, with the endpoint's base path. */
  readonly path: string;
  readonly body?: UploadBody;
  readonly frame?: BodyFrame;
  /**
   * `read`: changes nothing, repeated freely. `change`: repeated only if it certainly never left;
   * otherwise a missing answer is `lost`.
   */
  readonly effect: 'read' | 'change';
  /** How long the service may take; by default `response`. */
  readonly pace?: TimeoutName;
  /** A small part of a body for a client that is slow: it waits behind everything else. */
  readonly isPiece?: boolean | undefined;
}

/** Describes the REST API of one service: what makes it different from that of another. */
export interface RestApi<R extends RestRequest> {
  /** Its name in spans: `azure`, `gcs`. */
  readonly system: string;
  /** Answer header with the service's own id of the request. */
  readonly requestIdHeader: string;
  /** Path and query as they go on the wire. */
  target(request: R): string;
  /** Headers, names and values in turn, without the authorisation. Returns a new list, to which the client adds. */
  headers(request: R, call: Call): string[];
  /** Value of `Authorization` for a request with these headers and so many bytes; undefined when it needs none. */
  authorization(request: R, headers: readonly string[], size: number): string | Promise<string> | undefined;
  /** Whether the client may send a call again that failed like this, without asking the caller. */
  mayRepeat(request: R, error: StoreError): boolean;
  /**
   * Reads an answer with a status of 300 or more. It must read or discard the body. @param within milliseconds for a
   * document
   */
  refusal(request: R, response: WireResponse, within: number): Promise<StoreError>;
  /** Lets a call wait for its turn, where the service limits the rate of changes. */
  inTurn?<T>(request: R, call: Call, work: () => Promise<T>): Promise<T>;
}

interface RestParts {
  readonly transport: Transport;
  readonly budget: RetryBudget;
  readonly timeouts: Timeouts;
}

interface Attempt<R, T> {
  readonly request: R;
  /** 1 for the first. */
  readonly number: number;
  /** Milliseconds for the head of the answer. */
  readonly within: number;
  readonly take: Take<T>;
}

/**
 * One REST call from request to answer: authorisation, tracing, repetition and errors, the same for all calls of all
 * services.
 */
export class RestClient<R extends RestRequest> {
  /** What the answers of the service say about this machine's clock. */
  readonly clock = new ServiceClock();
  readonly #api: RestApi<R>;
  readonly #parts: RestParts;
  readonly #service: CalledService;

  constructor(api: RestApi<R>, parts: RestParts) {
    this.#api = api;
    this.#parts = parts;
    this.#service = { system: api.system, requestIdHeader: api.requestIdHeader, clock: this.clock };
  }

  /**
   * Sends a request and returns the answer if it is a success. The caller must read or discard the body. @throws
   * StoreError
   */
  send(request: R, call: Call): Promise<WireResponse> {
    return this.#inTurn(request, call, asItIs);
  }

  /** The same for answers whose body is of no interest. @throws StoreError */
  sendForHeaders(request: R, call: Call): Promise<WireHeaders> {
    return this.#inTurn(request, call, headersAlone);
  }

  /** The same for answers that are a document. @throws StoreError */
  sendForText(request: R, call: Call): Promise<string> {
    return this.#inTurn(request, call, textOf);
  }

  /** The same, undecoded. @throws StoreError */
  sendForBytes(request: R, call: Call): Promise<Uint8Array> {
    return this.#inTurn(request, call, bytesOf);
  }

  /**
   * The same for answers that are a JSON object; `T` is what the service documents, all of it optional. @throws
   * StoreError
   */
  sendForJson<T extends object>(request: R, call: Call): Promise<Partial<T>> {
    return this.#inTurn<Partial<T>>(request, call, jsonOf);
  }

  /**
   * Waits before a call that failed is sent again by its caller; false when it shall not be.
   * @param attempt how often it was sent
   * @throws StoreError aborted, lost if the call was
   */
  async mayTryAgain(attempt: number, error: StoreError, call: Call): Promise<boolean> {
    const { timeouts, budget } = this.#parts;
    if (isTooLate(timeouts, 0, call) || !budget.take(attempt)) return false;
    try {
      await budget.pause(attempt, error.detail.retryAfter, call.signal);
      return true;
    } catch (cause) {
      const { call: name, lost } = error.detail;
      throw new StoreError('aborted', {
        ...(name !== undefined && { call: name }),
        ...(lost === true && { lost: true }),
        cause,
      });
    }
  }

  /**
   * Reads the service's clock without a credential. @param path any that the service answers, whatever the status.
   * @throws StoreError
   */
  readClock(path: string, call: Call): Promise<ClockReading> {
    return clockOfService(this.#parts.transport, path, call);
  }

  /** Notes that the service denied a part of a call that it took as a whole. */
  deniedPart({ detail }: StoreError, call: Call): void {
    const { call: operation = '', status, code, backendRequestId } = detail;
    call.facts.denied({ system: this.#api.system, operation, status, code, backendRequestId });
  }

  /** Who uses its connections now. */
  lanes(): readonly ConnectionLane[] {
    return this.#parts.transport.lanes?.() ?? [];
  }

  close(): Promise<void> {
    return this.#parts.transport.close();
  }

  #inTurn<T>(request: R, call: Call, take: Take<T>): Promise<T> {
    return this.#api.inTurn === undefined
      ? this.#send(request, call, take)
      : this.#api.inTurn(request, call, () => this.#send(request, call, take));
  }

  #send<T>(request: R, call: Call, take: Take<T>): Promise<T> {
    return request.body === undefined || bodySize(request.body) > 0
      ? this.#repeat(request, call, take)
      : withoutBody(request, call).then((empty) => this.#repeat(empty, call, take));
  }

  #repeat<T>(request: R, call: Call, take: Take<T>): Promise<T> {
    const work = {
      call: request.call,
      pace: request.pace ?? 'response',
      mayRepeat: (error: StoreError) => this.#api.mayRepeat(request, error),
      send: (number: number, within: number) => this.#attempt({ request, number, within, take }, call),
    };
    return repeat(this.#parts, work, call);
  }

  /**
   * May throw instead of rejecting. Nothing is awaited where the authorisation is available at once, as with an account
   * key.
   */
  #attempt<T>(attempt: Attempt<R, T>, call: Call): Promise<T> {
    const { request, within } = attempt;
    const headers = this.#api.headers(request, call);
    const size = request.body === undefined ? 0 : bodySize(request.body);
    const proof = this.#api.authorization(request, headers, size);
    return proof instanceof Promise
      ? unlessAborted(proof, call.signal, within).then((told) => this.#sendOnce(attempt, proven(headers, told), call))
      : this.#sendOnce(attempt, proven(headers, proof), call);
  }

  #sendOnce<T>({ request, number, within, take }: Attempt<R, T>, headers: string[], call: Call): Promise<T> {
    const api = this.#api;
    const wire = wireRequest(request, {
      path: api.target(request),
      headers,
      responseTimeout: within,
      holder: call.facts.holder(),
      reading: readingOf(request, take),
    });
    const refusalOf = (response: WireResponse): Promise<StoreError> => api.refusal(request, response, within);
    return sendOnce(this.#parts.transport, this.#service, { request, number, wire, refusalOf, take }, call);
  }
}

function proven(headers: string[], proof: string | undefined): string[] {
  if (proof !== undefined) headers.push('authorization', proof);
  return headers;
}

/** At whose pace the body of the answer is read: the caller's of `send`, as it takes it is. */
function readingOf({ isPiece }: RestRequest, take: unknown): WireRequest['reading'] {
  if (isPiece === true) return 'piece';
  return take === asItIs ? 'stream' : undefined;
}

interface WireParts extends Pick<WireRequest, 'path' | 'headers' | 'responseTimeout' | 'holder'> {
  readonly reading: WireRequest['reading'];
}

/**
 * Optional fields are not spread: after a spread V8 leaves its fast paths for properties, which costs a small GET 2 us.
 */
function wireRequest(
  { method, body, frame }: RestRequest,
  { path, headers, responseTimeout, holder = '', reading }: WireParts,
): WireRequest {
  if (body === undefined) return { method, path, headers, responseTimeout, holder, reading };
  if (frame === undefined) return { method, path, headers, responseTimeout, holder, reading, body };
  return { method, path, headers, responseTimeout, holder, reading, body, frame };
}

/** A body without bytes is sent as no body; but its stream may still fail. */
async function withoutBody<R extends RestRequest>({ body, ...rest }: R, call: Call): Promise<R> {
  if (body !== undefined) await endOfEmpty(body, rest.call, call);
  return rest as unknown as R;
}
