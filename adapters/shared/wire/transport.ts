import type { ByteSource, UploadBody } from '../../../src/streams/bytes.ts';

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
  send(request: WireRequest, signal: AbortSignal): Promise<WireResponse>;
  /** Closes all connections; calls under way fail. */
  close(): Promise<void>;
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
  /** It cannot be put on the wire: a header that HTTP does not allow. */
  | 'malformed';

export class WireError extends Error {
  readonly failure: WireFailure;
  /** False: certainly not one byte of the request went out. */
  readonly sent: boolean;

  constructor(failure: WireFailure, sent: boolean, cause: unknown) {
    super(`no answer: ${failure}`, { cause });
    this.name = 'WireError';
    this.failure = failure;
    this.sent = sent;
  }
}
