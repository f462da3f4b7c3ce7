/*
 * An HTTP/1.1 client for many small calls over a few connections. Begin here: one request and its answer.
 * `http1-client.ts` gives it a connection of the pool, `body-sender.ts` sends, `response-head.ts` and
 * `response-body.ts` read.
 */
import { ExactBody } from '../wire/exact-body.ts';
import { createDecoder } from './body-decoder.ts';
import { BodySender } from './body-sender.ts';
import { ConnectionError, abortedError } from './connection.ts';
import type { Connection, ConnectionUser } from './connection.ts';
import { RateWatch } from '../wire/rate-watch.ts';
import type { Hold } from '../wire/transport.ts';
import { READ_AHEAD, ResponseBody } from './response-body.ts';
import { MalformedResponse, parseResponseHead } from './response-head.ts';
import { HeadReader, type ResponseHead, type AnswerHeaders } from './response-head.ts';

export interface OutgoingRequest {
  readonly method: string;
  /** Request line and header lines up to and with the empty line, Latin-1. */
  readonly head: string;
  readonly body: Uint8Array | ExactBody | undefined;
  /**
   * Milliseconds of silence before the head of the answer, and for all of the head, the wait for a connection included.
   * Where the body is a stream they begin when all of it that is here has been sent.
   */
  readonly responseTimeout: number;
  /** `performance.now()` from which on that counts. */
  readonly began: number;
  readonly signal: AbortSignal;
  /**
   * What it holds of the connections. The exchange releases it when an answer has ended; without one, its owner does.
   */
  readonly hold: Hold | undefined;
}

export interface IncomingResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: ResponseBody;
}

/** Why there was no answer. */
export interface ExchangeFailure {
  readonly error: ConnectionError;
  /** False: certainly nothing of the request reached the peer. */
  readonly sent: boolean;
  /**
   * The connection had served requests before and broke before the first byte of this answer: the peer had probably
   * closed it already.
   */
  readonly stale: boolean;
}

export interface ExchangeOutcome {
  onResponse(response: IncomingResponse): void;
  onFailure(failure: ExchangeFailure): void;
}

/** A body that shows to be longer is large; the others are held here whole, whatever their reader does. */
const LARGE = READ_AHEAD;

/** The least rate at which a request must go out. Bytes a millisecond. */
const LEAST_RATE = 64;

/** Most interim answers (1xx) before the final one. No real service sends more. */
const MOST_INTERIM = 16;

/** One request on a connection and its answer, up to the last byte of the body. */
export class BackendExchange implements ConnectionUser {
  readonly #connection: Connection;
  readonly #request: OutgoingRequest;
  readonly #outcome: ExchangeOutcome;
  readonly #release: (connection: Connection) => void;
  readonly #sender: BodySender | undefined;
  #head: HeadReader | undefined = new HeadReader();
  #interim = 0;
  #sawBytes = false;
  #keepAlive = true;
  /**
   * Runs from the first byte of a head until the head is complete. The limit of silence does not help here, since every
   * byte resets it.
   */
  #late: NodeJS.Timeout | undefined;
  #body: ResponseBody | undefined;
  #rate: RateWatch | undefined;
  /** Bytes of the body that have come. */
  #received = 0;
  #isLarge = false;

  /** @param release is called when the connection may serve the next request */
  constructor(
    connection: Connection,
    request: OutgoingRequest,
    outcome: ExchangeOutcome,
    release: (connection: Connection) => void,
  ) {
    this.#connection = connection;
    this.#request = request;
    this.#outcome = outcome;
    this.#release = release;
    request.signal.addEventListener('abort', this);
    if (request.body instanceof ExactBody) {
      this.#sender = new BodySender(connection, request.head, request.body);
      request.hold?.uploads(this);
      connection.silence = request.responseTimeout;
      connection.begin(this);
      if (connection.established) this.onEstablished();
      return;
    }
    // Waiting for a connection has taken some of it; mostly nothing worth another timer.
    connection.silence =
      performance.now() - request.began < request.responseTimeout / 8
        ? request.responseTimeout
        : Math.max(1, this.#timeLeft());
    connection.send(request.head, request.body, this);
  }

  get holdsPeerUp(): boolean {
    return this.#sender?.waitsForBody === true && this.#head !== undefined;
  }

  /** Of a body, whichever way it goes. For `Mover`. */
  get moved(): number {
    return this.#received + (this.#sender?.sent ?? 0);
  }

  /** For `Mover`. */
  get mayStop(): boolean {
    return this.#sender === undefined ? this.#body?.canGoOn === true : !this.#sender.complete;
  }

  /** For `Mover`. */
  stop(): void {
    if (this.#body?.giveBack() === true) return;
    this.#connection.fail(new ConnectionError('crowded', 'others needed the connection more'));
  }

  /** A stream is touched only once there is a connection to send it over. */
  onEstablished(): void {
    this.#sender?.start((error) => this.#connection.fail(new ConnectionError('body', 'body broke off', error)));
  }

  /** The signal was aborted. */
  handleEvent(): void {
    const { signal } = this.#request;
    // A service drops a body that never reached its length, so the outcome is known: nothing was stored.
    const partial = this.#sender?.complete === false && this.#body === undefined;
    this.#connection.fail(partial ? new ConnectionError('body', 'aborted', signal.reason) : abortedError(signal));
  }

  onBytes(bytes: Buffer): void {
    this.#sawBytes = true;
    try {
      this.#take(bytes);
    } catch (error) {
      this.#connection.fail(new ConnectionError('network', 'unusable answer', error));
    }
  }

  onEnd(): void {
    try {
      this.#body?.connectionEnded();
      this.#connection.fail(new ConnectionError('network', 'connection closed'));
    } catch (error) {
      this.#connection.fail(new ConnectionError('network', 'connection closed', error));
    }
  }

  onFailure(error: ConnectionError): void {
    this.#request.signal.removeEventListener('abort', this);
    clearTimeout(this.#late);
    this.#rate?.stop();
    this.#sender?.stop();
    if (this.#body !== undefined) {
      this.#request.hold?.release();
      this.#body.fail(error);
      return;
    }
    const { uses, established } = this.#connection;
    const stale = uses > 1 && !this.#sawBytes && error.failure === 'network';
    this.#outcome.onFailure({ error, sent: established, stale });
  }

  #take(bytes: Buffer): void {
    let rest = bytes;
    while (this.#head !== undefined) {
      const found = this.#head.push(rest);
      if (found === undefined) {
        this.#awaitHead();
        return;
      }
      rest = rest.subarray(found.end);
      const head = parseResponseHead(found.text, this.#request.method);
      if (head.status >= 200) {
        this.#onHead(head);
      } else if (head.status === 101 || ++this.#interim > MOST_INTERIM) {
        throw new MalformedResponse(`status ${head.status}`);
      } else if (rest.length === 0) {
        this.#awaitHead();
        return;
      }
    }
    this.#onBody(rest);
  }

  get #allSent(): boolean {
    return this.#connection.flushed && this.#sender?.complete !== false;
  }

  #watchRate(): RateWatch {
    const connection = this.#connection;
    const onSlow = (): void => connection.fail(new ConnectionError('timeout', 'body too slow'));
    return new RateWatch({ interval: connection.options.idleTimeout, heldUp: connection.heldUp, onSlow });
  }

  #awaitHead(): void {
    this.#late ??= setTimeout(
      () => this.#connection.fail(new ConnectionError('timeout', 'the head of the answer did not arrive in time')),
      Math.max(1, this.#timeLeft()),
    );
  }

  #timeLeft(): number {
    const { responseTimeout, began, body } = this.#request;
    if (body instanceof ExactBody) return responseTimeout;
    return responseTimeout + (body?.byteLength ?? 0) / LEAST_RATE + began - performance.now();
  }

  #onHead(head: ResponseHead): void {
    this.#head = undefined;
    clearTimeout(this.#late);
    this.#keepAlive = head.keepAlive;
    this.#connection.peerKeepAlive = keepAliveHint(head.headers['keep-alive']);
    const { framing } = head;
    this.#body = new ResponseBody({
      size: framing.kind === 'length' ? framing.length : 0,
      decoder: createDecoder(framing),
      connection: this.#connection,
      signal: this.#request.signal,
    });
    if (this.#body.size > LARGE && !this.#grow()) return;
    this.#outcome.onResponse({ status: head.status, headers: head.headers, body: this.#body });
  }

  /** @returns false: it has failed */
  #grow(): boolean {
    this.#isLarge = true;
    if (this.#request.hold?.downloads(this) !== false) return true;
    // No answer was told of where it shows in the head already.
    if (this.#received === 0) this.#body = undefined;
    this.stop();
    return false;
  }

  #onBody(bytes: Buffer): void {
    const body = this.#body;
    if (body === undefined) return;
    this.#received += bytes.length;
    if (!this.#isLarge && this.#received > LARGE && !this.#grow()) return;
    const taken = body.receive(bytes);
    if (!body.complete) {
      // Not for bodies that come with their head: for them the timer stays as the next request wants it.
      this.#connection.silence = this.#connection.options.idleTimeout;
      this.#rate ??= this.#watchRate();
      this.#rate.received(bytes.length);
      return;
    }
    this.#rate?.stop();
    this.#request.signal.removeEventListener('abort', this);
    const connection = this.#connection;
    if (taken < bytes.length || !this.#keepAlive || !this.#allSent) {
      connection.fail(new ConnectionError('network', 'answer complete'));
    } else {
      connection.free();
      this.#release(connection);
    }
    this.#request.hold?.release();
  }
}

/** `Keep-Alive: timeout=5`: used up to a second less, so that the peer's clock does not matter. */
function keepAliveHint(value: string | string[] | undefined): number {
  if (value === undefined) return Number.POSITIVE_INFINITY;
  const seconds = /(?:^|[,\s])timeout=(\d{1,9})/.exec(String(value))?.[1];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Math.max(0, Number(seconds) - 1) * 1000;
}
