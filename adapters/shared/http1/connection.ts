import { connect as connectTcp, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { type SecureContext, connect as connectTls } from 'node:tls';
import { freeMemory } from '../../../src/streams/buffer-pool.ts';
import { leaveBy } from '../../../src/streams/turn-end.ts';
import { WholeWriter } from './whole-writer.ts';
import type { SendWindows } from './send-windows.ts';
import type { SlabPool } from './slab.ts';

/** Where connections lead, and what they may take. */
export interface SocketOptions {
  readonly host: string;
  readonly port: number;
  /** What TLS trusts and speaks; absent: no TLS. One for all connections: reading certificates takes milliseconds. */
  readonly tls?: SecureContext;
  /** Milliseconds until a connection stands, TLS included. */
  readonly connectTimeout: number;
  /** Milliseconds of silence within a body that is being waited for. */
  readonly idleTimeout: number;
  /** The TLS session that the service gave last: the next handshake costs half with it. */
  readonly sessions: { last: Buffer | undefined };
  readonly slabs: SlabPool;
  readonly windows: SendWindows;
}

/** Why a connection was of no use. */
export class ConnectionError extends Error {
  /** `body`: what was to be sent broke off. `crowded`: others needed the connection more. */
  readonly failure: 'timeout' | 'network' | 'aborted' | 'body' | 'crowded';

  constructor(failure: ConnectionError['failure'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ConnectionError';
    this.failure = failure;
  }
}

export function abortedError(signal: AbortSignal): ConnectionError {
  return new ConnectionError('aborted', 'aborted', signal.reason);
}

/** Gets what happens on a connection while a request is under way on it. */
export interface ConnectionUser {
  /**
   * Never called between `pause` and `resume`. `bytes` are valid during the call only, but for those read into a buffer
   * given to `readInto`.
   */
  onBytes(bytes: Buffer): void;
  /** The peer sends no more. */
  onEnd(): void;
  /** Nothing works any more. */
  onFailure(error: ConnectionError): void;
  /** The peer has been sent all there is, and more is to come: its silence is no fault. */
  readonly holdsPeerUp: boolean;
  /** The peer has answered the handshake. Not called for connections on which it had done so before. */
  onEstablished(): void;
}

/** Enough for the head and the body of a small answer in one read. */
const READ_BUFFER = 16 * 1024;
/**
 * Of all connections without TLS: the loop reads from one after the other, and what it read is valid during the call
 * only. TLS may hand over bytes of one connection while another one is being written to.
 */
const sharedBuffer = Buffer.allocUnsafeSlow(READ_BUFFER);
const PROBE_DELAY = 30_000;
/** Bodies up to this go out together with their head. */
const ONE_WRITE = 16 * 1024;
const wholeWriter = new WholeWriter();

/**
 * One HTTP/1.1 connection. Incoming bytes are read into the same buffer over and over
 * (`onread` of `net.connect`): allocating one for each read is what large bodies cost most.
 */
export class Connection {
  readonly options: SocketOptions;
  /** Requests sent so far. */
  uses = 0;
  /** `performance.now()` of the moment the connection came free. */
  idleSince = 0;
  /** Milliseconds that the peer keeps an idle connection, if it said so. */
  peerKeepAlive = Number.POSITIVE_INFINITY;
  /** Called once, when the connection is closed for whatever reason. */
  onClosed: (() => void) | undefined;
  readonly #socket: Socket;
  readonly #readBuffer: Buffer;
  #nextBuffer: Buffer;
  #user: ConnectionUser | undefined;
  /** A whole request that waits for the end of the turn: its head, Latin-1, and its body. */
  #unsentHead: string | undefined;
  #unsentBody: Uint8Array | undefined;
  #established = false;
  /**
   * What happened while the connection was paused, in order. `pause` stops the kernel's socket, but Node goes on to
   * hand over the records that TLS has decrypted already, and then perhaps the end: up to some 80 KiB.
   */
  readonly #meanwhile: (() => void)[] = [];
  #catchesUp = false;
  #closed = false;
  #socketIsClosed = false;
  #whenClosed: (() => void)[] = [];
  #heldUp = false;
  #timerIsSpent = false;
  #connectTimer: NodeJS.Timeout | undefined;

  constructor(options: SocketOptions) {
    this.options = options;
    this.#readBuffer = options.tls === undefined ? sharedBuffer : Buffer.allocUnsafeSlow(READ_BUFFER);
    this.#nextBuffer = this.#readBuffer;
    this.#socket = this.#open();
    this.#connectTimer = setTimeout(() => this.#connectIsLate(), options.connectTimeout);
    this.#socket.on('error', (error) =>
      this.#inOrder(() => this.fail(new ConnectionError('network', error.message, error))),
    );
    this.#socket.on('close', () => this.#socketClosed());
    this.#socket.on('end', () => this.#inOrder(() => this.#ended()));
    this.#socket.on('timeout', () => this.#silent());
  }

  /** False until the peer has answered the handshake: nothing of a request can have reached it. */
  get established(): boolean {
    return this.#established;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Everything handed to `send` and `write` has gone to the kernel. */
  get flushed(): boolean {
    return this.#unsentHead === undefined && this.#socket.writableLength === 0;
  }

  /** Whether a reader has made the peer wait since this was asked last. */
  readonly heldUp = (): boolean => {
    const was = this.#heldUp;
    this.#heldUp = this.#isPaused;
    return was;
  };

  /** Longest silence from now on, in milliseconds. */
  set silence(milliseconds: number) {
    if (this.#socket.timeout === milliseconds && !this.#timerIsSpent) return;
    this.#timerIsSpent = false;
    this.#socket.setTimeout(milliseconds);
  }

  /** A small request leaves at the end of the turn, or at once over TLS. @param head Latin-1 */
  send(head: string, body: Uint8Array | undefined, user: ConnectionUser): void {
    this.begin(user);
    if (body === undefined || body.length <= ONE_WRITE) {
      this.#unsentHead = head;
      this.#unsentBody = body;
      leaveBy(this.#socket, this.#sendWhole);
      return;
    }
    this.#socket.cork();
    this.#socket.write(head, 'latin1');
    this.#socket.write(body);
    this.#socket.uncork();
  }

  /** Lends the connection to a request that `write` sends. */
  begin(user: ConnectionUser): void {
    this.#user = user;
    this.uses += 1;
  }

  readonly #sendWhole = (): void => {
    const head = this.#unsentHead;
    const body = this.#unsentBody;
    this.#unsentHead = undefined;
    this.#unsentBody = undefined;
    if (head === undefined || this.#closed) return;
    if (body === undefined) this.#socket.write(head, 'latin1');
    else wholeWriter.write(this.#socket, head, body);
  };

  /** Sends all of it at once. @param head Latin-1. @param done called when the kernel has it */
  write(head: string | undefined, chunks: readonly Uint8Array[], done: () => void): void {
    const last = chunks.length - 1;
    this.#socket.cork();
    if (head !== undefined) this.#socket.write(head, 'latin1');
    chunks.forEach((chunk, at) => {
      this.#socket.write(chunk, at < last ? undefined : (error) => (error ? undefined : done()));
    });
    this.#socket.uncork();
  }

  /** The exchange is over; the connection waits for the next one. */
  free(): void {
    this.#user = undefined;
    this.idleSince = performance.now();
    if (this.#meanwhile.length === 0) this.resume();
    else this.fail(new ConnectionError('network', 'more came than the answer'));
  }

  /** The user gets nothing until `resume`. */
  pause(): void {
    if (this.#isPaused) return;
    this.#heldUp = true;
    this.#socket.pause();
  }

  /**
   * Hands over, before it returns, what has come meanwhile; more comes later. From within `onBytes` it does so after
   * `onBytes` has returned.
   */
  resume(): void {
    if (this.#closed || !this.#isPaused) return;
    // A silence that was the reader's own fault has used the timer up.
    this.#timerIsSpent = false;
    this.#socket.setTimeout(this.#socket.timeout ?? 0);
    this.#socket.resume();
    this.#catchUp();
  }

  /**
   * Where the bytes of the next read shall go; valid for one read, and only from within `onBytes`. The buffer is the
   * connection's from then on: until `onBytes` is called again, or `whenClosed` tells.
   */
  readInto(buffer: Buffer): void {
    this.#nextBuffer = buffer;
  }

  /** Closes at once. Tells the user, if there is one, unless it is `quiet`. */
  fail(error: ConnectionError): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#connectTimer);
    const user = this.#user;
    this.#user = undefined;
    this.#meanwhile.length = 0;
    this.#socket.destroy();
    this.onClosed?.();
    user?.onFailure(error);
  }

  /** Tells when nothing can be read into any buffer any more: `fail` only begins to close the socket. */
  whenClosed(tell: () => void): void {
    if (this.#socketIsClosed) tell();
    else this.#whenClosed.push(tell);
  }

  #catchUp(): void {
    // Whoever resumes while it is given something gets the rest from the loop that gives it.
    if (this.#catchesUp) return;
    this.#catchesUp = true;
    try {
      while (!this.#isPaused) {
        const next = this.#meanwhile.shift();
        if (next === undefined) return;
        next();
      }
    } finally {
      this.#catchesUp = false;
    }
  }

  /** Asked of the socket: nothing that is remembered beside it can contradict it. */
  get #isPaused(): boolean {
    return this.#socket.isPaused();
  }

  /** Has it happen now, or after all that waits for `resume`. */
  #inOrder(event: () => void): void {
    if (this.#meanwhile.length > 0) this.#meanwhile.push(event);
    else event();
  }

  #socketClosed(): void {
    this.#socketIsClosed = true;
    this.#inOrder(() => this.fail(new ConnectionError('network', 'connection closed')));
    for (const tell of this.#whenClosed.splice(0)) tell();
  }

  #open(): Socket {
    const { host, port, tls: secureContext, sessions } = this.options;
    const onread = {
      buffer: () => this.#nextBuffer,
      // Always true: `pause` has stopped the socket if it was to be stopped.
      callback: (length: number, buffer: Uint8Array) => {
        this.#read(length, buffer);
        return true;
      },
    };
    const tcp = { host, port, onread, noDelay: true, keepAlive: true, keepAliveInitialDelay: PROBE_DELAY };
    if (secureContext === undefined) return connectTcp(tcp, () => this.#connected());
    const tls = {
      ...tcp,
      secureContext,
      ALPNProtocols: ['http/1.1'],
      ...(isIP(host) ? {} : { servername: host }),
      ...(sessions.last !== undefined && { session: sessions.last }),
    };
    return connectTls(tls, () => this.#connected()).on('session', (session) => (sessions.last = session));
  }

  /** Timers come before what the kernel has: after a busy second the handshake may be there. */
  #connectIsLate(): void {
    setImmediate(() => {
      if (!this.#established) this.fail(new ConnectionError('timeout', 'connect timeout'));
    });
  }

  #connected(): void {
    this.#established = true;
    clearTimeout(this.#connectTimer);
    this.#user?.onEstablished();
  }

  #read(length: number, buffer: Uint8Array): void {
    this.#nextBuffer = this.#readBuffer;
    const bytes = Buffer.from(buffer.buffer, buffer.byteOffset, length);
    if (this.#isPaused) {
      const copy = Buffer.allocUnsafeSlow(length);
      copy.set(bytes);
      this.#meanwhile.push(() => {
        this.#give(copy);
        freeMemory(copy.buffer);
      });
    } else {
      this.#give(bytes);
    }
  }

  #give(bytes: Buffer): void {
    if (this.#user === undefined || this.#unsentHead !== undefined) {
      this.fail(new ConnectionError('network', 'the peer sent bytes that belong to no request'));
      return;
    }
    this.#user.onBytes(bytes);
  }

  #ended(): void {
    if (this.#user === undefined) this.fail(new ConnectionError('network', 'connection closed'));
    else this.#user.onEnd();
  }

  /**
   * While the reader does not want more, silence is not the peer's fault; how long an idle connection lives is the
   * pool's to say.
   */
  #silent(): void {
    this.#timerIsSpent = true;
    if (this.#established && !this.#isPaused && this.#user?.holdsPeerUp === false) {
      this.fail(new ConnectionError('timeout', 'no bytes for too long'));
    }
  }
}
