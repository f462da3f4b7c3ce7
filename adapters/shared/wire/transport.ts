/*
 * The network as adapters see it. Begin here, with the port. `fair-transport.ts` gives each call its place in a lane
 * (`lane.ts`). Then either `lean-transport.ts` sends it, over our own client, or `undici-transport.ts`, through a
 * proxy. The other files are about one attempt: its body, its answer, its failure.
 */
import type { ConnectionLane } from '../../../src/store/survey.ts';
import type { Writable } from 'node:stream';
import type { ByteSource, SinkClock, UploadBody } from '../../../src/streams/bytes.ts';

/**
 * The only way in which an adapter uses the network. A transport moves bytes and headers and knows nothing of blobs,
 * signatures or retries, so that a leaner transport can serve the calls that suit it.
 */
export interface Transport {
  /**
   * Sends one request and resolves with the head of the answer, whatever its status.
   *
   * The signal stays in force until the answer's body has been read to its end.
   * @throws WireError and nothing else
   */
  send(request: WireRequest, signal: AbortSignal, hold?: Hold): Promise<WireResponse>;
  /** Who uses its connections now, where they are shared. */
  lanes?(): readonly ConnectionLane[];
  /** Closes all connections; calls under way fail. */
  close(): Promise<void>;
}

/** What moves bytes in a place, and can be made to stop. */
export interface Mover {
  /** Bytes that have moved so far. */
  readonly moved: number;
  /**
   * Whether stopping it leaves nothing in doubt: a body for a client goes on without a place; of a body that is sent,
   * the service has not got all bytes yet, and drops those that it has.
   */
  readonly mayStop: boolean;
  /**
   * Somebody else needs the place more: gives it up, and ends what is under way if that cannot go on without. The place
   * is left.
   */
  stop(): void;
}

/** What a request holds of the connections that all share; the transport says what it turns out to be. */
export interface Hold {
  /** It sends a streamed body, which may be stopped in favour of others. */
  uploads(mover: Mover): void;
  /** Its answer has a large body, which may be stopped too. @returns false: there is no room, it must end at once */
  downloads(mover: Mover): boolean;
  /** Its connection is free, or closed. A second call does nothing. */
  release(): void;
}

export type WireMethod = 'GET' | 'HEAD' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';

export interface WireRequest {
  readonly method: WireMethod;
  /** Target as it goes on the wire: path and query, both percent-encoded already. */
  readonly path: string;
  /** Names and values in turn; `Content-Length` and `Host` are the transport's to add. */
  readonly headers: string[];
  /** Absent: no body, and `Content-Length: 0` where the method calls for it. */
  readonly body?: UploadBody;
  /** What goes before and after a streamed body: it is part of the content, but not of the stream. */
  readonly frame?: BodyFrame;
  /**
   * Milliseconds for the head of the answer, all of it, once the request has been sent, or for a connection to send it
   * on.
   */
  readonly responseTimeout: number;
  /** Whom it is for; absent: the gateway itself. */
  readonly holder?: string;
  /**
   * `stream`: the body of the answer is read at somebody else's pace. `piece`: it is a small part of such a body, for a
   * client that is slow. Absent: it is read into memory, as it comes.
   */
  readonly reading?: 'stream' | 'piece' | undefined;
}

export interface BodyFrame {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

export interface WireResponse {
  readonly status: number;
  /** Lower-case names; values as they came. A repeated header is an array. */
  readonly headers: WireHeaders;
  readonly body: WireBody;
}

export type WireHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * A body whose connection breaks fails with `StoreError` `unavailable`, an aborted one with
 * `aborted`; it never just ends. `size` is 0 when the service announced none (chunked answers).
 */
export interface WireBody extends ByteSource {
  /**
   * As `pipeTo`, but it may give the connection back before the end when the sink proves slow; it ends the sink only
   * with the last byte, and destroys it when it fails.
   * @returns bytes that the sink has, fewer than `size` if the connection was given back
   */
  pour(sink: Writable, signal: AbortSignal, clock?: SinkClock): Promise<number>;
  /**
   * All bytes in memory, for small answers. Rejects above `limit`, and when they are not there `within` milliseconds,
   * and a while more for each MiB.
   */
  bytes(limit: number, within?: number): Promise<Uint8Array>;
}

/** Why no answer came. */
export type WireFailure =
  /** The signal, or `close`. */
  | 'aborted'
  /** The stream to be uploaded errored, ended early or held too much; the request was broken off. */
  | 'body'
  | 'timeout'
  | 'network'
  /** Others need the connection more than whom this request is for, who has many. Nothing was changed. */
  | 'crowded'
  /** It cannot be put on the wire: a header that HTTP does not allow. */
  | 'malformed';

export class WireError extends Error {
  readonly failure: WireFailure;
  /** False: certainly not one byte of the request went out. */
  readonly sent: boolean;

  constructor(failure: WireFailure, sent: boolean, cause: unknown) {
    const code = codeOf(cause);
    super(`no answer: ${failure}${code === undefined ? '' : ` (${code})`}`, { cause });
    this.name = 'WireError';
    this.failure = failure;
    this.sent = sent;
  }
}

/** The first code in a chain of causes, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`. */
function codeOf(cause: unknown): string | undefined {
  for (let error = cause; error instanceof Error; error = error.cause) {
    if ('code' in error && typeof error.code === 'string') return error.code;
  }
  return undefined;
}

/** A stream can be sent only once; bytes in memory as often as need be. */
export function isStream(body: UploadBody | undefined): boolean {
  return body !== undefined && !(body instanceof Uint8Array);
}

type Query = readonly (readonly [name: string, value: string])[];

/** Path and query as they go on the wire. `path` is percent-encoded already, names and values are not. */
export function joinTarget(path: string, query: Query = []): string {
  let whole = path;
  let separator = '?';
  for (const [name, value] of query) {
    whole += `${separator}${name}=${encodeURIComponent(value)}`;
    separator = '&';
  }
  return whole;
}

/** A header's value, one character a byte; undefined when it is absent or empty. */
export function headerText(headers: WireHeaders, name: string): string | undefined {
  const value = headers[name];
  if (value === undefined || value === '') return undefined;
  return typeof value === 'string' ? value : value.join(', ');
}

/** A header's value as a number, e.g. the seconds of `Retry-After`; undefined when it is absent or something else. */
export function headerNumber(headers: WireHeaders, name: string): number | undefined {
  const value = Number(headerText(headers, name));
  return Number.isFinite(value) ? value : undefined;
}
