import { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { S3Error } from '../../errors/s3-error.ts';
import type { RequestFacts } from '../../observe/request-facts.ts';
import { type PacedBody, SMALL_BODY, type Stops, bulkPacer } from '../../streams/bulk-pacer.ts';
import { readBuffers } from '../../streams/read-buffers.ts';
import { turn } from '../../streams/turns.ts';
import { incompleteBody } from './body-errors.ts';
import type { Deframer } from './deframer.ts';
import type { BodyFacts } from './object-body.ts';
import type { PayloadVerifier } from './payload-verifier.ts';

/** A socket as far as it is stopped for a while. */
export interface Restrainable {
  pause(): unknown;
  resume(): unknown;
}

export interface FlowOptions {
  /** The request: body bytes as HTTP delivers them, not yet read from. */
  readonly source: Readable;
  readonly deframer: Deframer;
  readonly verifier: PayloadVerifier;
  /** Payload bytes that must come; undefined when the client did not say. */
  readonly size: number | undefined;
  /** More payload than this: MaxMessageLengthExceeded. Matters only where the size is not known beforehand. */
  readonly limit: number;
  readonly onFirstRead: () => void;
  /**
   * What the source comes from. Stopping it keeps what was not parsed yet from being parsed; absent: that is not to be
   * stopped.
   */
  readonly socket?: Restrainable | undefined;
  /** How much came, and how long the client was waited for. */
  readonly facts?: RequestFacts | undefined;
  readonly signal: AbortSignal;
}

/** Takes the payload; exactly one of `done` and `failed` ends it. */
interface FlowSink {
  payload(bytes: Buffer): void;
  /** Every byte has come and everything is verified. */
  done(facts: BodyFacts): void;
  failed(error: Error): void;
}

/**
 * A piece below this is gathered with others once so many have come. Programs send fewer; whoever sends more pays with
 * a copy.
 */
const TINY = 1024;
const TINY_TO_PASS = 16;
const TINY_PER_TURN = 256;
const SLAB = 16 * 1024;

/**
 * Reads the request body once: deframes, counts, hashes, and hands the payload on without copying.
 *
 * It listens to the request itself instead of standing in a `pipeline`, because a pipeline destroys
 * its source on failure, and with this source the socket on which the error must be answered. After
 * a failure the rest of the body stays unread; draining it or closing is the gateway's decision.
 */
export class BodyFlow {
  readonly #options: FlowOptions;
  #sink: FlowSink | undefined;
  #received = 0;
  #over = false;
  #tiny = 0;
  #restrained = false;
  /** Whoever takes the payload, or the hashes of it, have enough for now. */
  #full = false;
  #hashing = false;
  /** Others go first: see `BulkPacer`. */
  #outOfTurn = false;
  /** Absent: the body is small. */
  readonly #place: PacedBody | undefined;
  /** Tiny pieces that wait to be looked at together, from where on they lie there, and how far it is filled. */
  #slab: Buffer | undefined;
  #slabFrom = 0;
  #slabTo = 0;
  #flushing: NodeJS.Immediate | undefined;
  /** Since when the client is waited for. */
  #waitingSince: number | undefined;

  /** @param stops what is held in memory is not interleaved with others: they would all be begun and none be whole */
  constructor(options: FlowOptions, stops: Stops = 'while others wait') {
    this.#options = options;
    const { size = Number.POSITIVE_INFINITY } = options;
    if (size > SMALL_BODY) this.#place = bulkPacer.enter(() => this.#onTurn(), stops);
  }

  start(sink: FlowSink): void {
    const { source, signal } = this.#options;
    this.#sink = sink;
    if (signal.aborted) {
      this.#onAbort();
      return;
    }
    if (source.destroyed || source.errored !== null) {
      this.#fail(incompleteBody(source.errored ?? undefined));
      return;
    }
    this.#options.onFirstRead();
    this.#waitingSince = performance.now();
    signal.addEventListener('abort', this.#onAbort, { once: true });
    source
      .on('error', this.#onError)
      .on('close', this.#onClose)
      .on('end', this.#onEnd)
      .on('data', this.#onData)
      .resume();
  }

  pause(): void {
    this.#full = true;
    if (!this.#over) {
      this.#waitingSince = undefined;
      this.#options.source.pause();
    }
  }

  resume(): void {
    this.#full = false;
    if (!this.#over && !this.#hashing && !this.#outOfTurn && this.#options.source.isPaused()) {
      this.#waitingSince = performance.now();
      this.#options.source.resume();
    }
  }

  /** Lets go of the request; nothing is called any more. */
  stop(): void {
    if (this.#over) {
      return;
    }
    this.#over = true;
    this.#place?.leave();
    clearImmediate(this.#flushing);
    this.#slab = undefined;
    this.#stopClock();
    this.#noteBody();
    const { source, signal, verifier } = this.#options;
    verifier.release();
    signal.removeEventListener('abort', this.#onAbort);
    source.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose).off('error', this.#onError);
    // A client that hangs up later is no news, but an 'error' without a listener would end the process.
    source.on('error', ignore);
    source.pause();
  }

  readonly #emit = (bytes: Buffer): void => {
    this.#received += bytes.length;
    const { size, limit, verifier } = this.#options;
    if (size !== undefined && this.#received > size) {
      throw incompleteBody();
    }
    if (this.#received > limit) {
      throw new S3Error('MaxMessageLengthExceeded', { extra: { MaxMessageLengthBytes: limit } });
    }
    verifier.update(bytes);
    readBuffers.passOn(bytes);
    this.#sink?.payload(bytes);
  };

  readonly #onData = (bytes: Buffer): void => {
    if (bytes.length < TINY && this.#tiny >= TINY_TO_PASS) {
      this.#gather(bytes);
      return;
    }
    if (bytes.length < TINY) this.#tiny += 1;
    this.#flush();
    if (!this.#over) this.#pushLent(bytes);
  };

  /**
   * Each piece of its own costs an object, a hash and more on the way: of HTTP chunks of a byte each, a thousand times
   * their bytes.
   */
  #gather(bytes: Buffer): void {
    if (this.#slab === undefined || this.#slabTo + bytes.length > SLAB) {
      this.#flush();
      if (this.#over) return;
      this.#slab = Buffer.allocUnsafeSlow(SLAB);
      this.#slabFrom = 0;
      this.#slabTo = 0;
    }
    this.#slabTo += bytes.copy(this.#slab, this.#slabTo);
    this.#flushing ??= setImmediate(this.#flush);
    this.#tiny += 1;
    if (this.#tiny % TINY_PER_TURN === 0) void this.#restrain();
  }

  /**
   * Node takes up to 2 MiB off a socket at a time, which are hundreds of thousands of such pieces: others would wait
   * for a second. Of all who send them, one goes on in each round of the event loop.
   */
  async #restrain(): Promise<void> {
    const { socket } = this.#options;
    if (socket === undefined || this.#restrained) return;
    this.#restrained = true;
    socket.pause();
    await turn();
    this.#restrained = false;
    socket.resume();
  }

  /**
   * What was gathered goes on. The slab is filled further behind it, as what takes the payload may keep what it got.
   */
  readonly #flush = (): void => {
    clearImmediate(this.#flushing);
    this.#flushing = undefined;
    const from = this.#slabFrom;
    this.#slabFrom = this.#slabTo;
    if (!this.#over && this.#slab !== undefined && this.#slabTo > from) {
      this.#push(this.#slab.subarray(from, this.#slabTo));
    }
  };

  /** A chunk of node:http has memory of its own, which is free again when all payload in it has been sent. */
  #pushLent(bytes: Buffer): void {
    if (!(this.#options.source instanceof IncomingMessage)) {
      this.#push(bytes);
      return;
    }
    readBuffers.lend(bytes);
    this.#push(bytes);
    readBuffers.lentAll(bytes);
  }

  #push(bytes: Buffer): void {
    readBuffers.note(bytes.length);
    this.#stopClock();
    try {
      this.#options.deframer.push(bytes, this.#emit);
    } catch (error) {
      this.#fail(error);
    }
    if (this.#over) return;
    if (!this.#options.source.isPaused()) this.#waitingSince = performance.now();
    const room = this.#options.verifier.room();
    if (room !== undefined && !this.#hashing) void this.#wait(room);
    if (this.#place?.mayGoOn(bytes.length) === false) this.#stopForOthers();
  }

  #stopForOthers(): void {
    this.#outOfTurn = true;
    this.#waitingSince = undefined;
    this.#options.source.pause();
  }

  #onTurn(): void {
    this.#outOfTurn = false;
    if (!this.#full) this.resume();
  }

  /** The hashes have enough for now. */
  async #wait(room: Promise<undefined>): Promise<void> {
    this.#hashing = true;
    this.#waitingSince = undefined;
    this.#options.source.pause();
    await room;
    this.#hashing = false;
    if (!this.#full) this.resume();
  }

  readonly #onEnd = (): void => {
    this.#flush();
    if (this.#over) return;
    let facts: BodyFacts;
    try {
      const trailer = this.#options.deframer.end();
      if (this.#options.size !== undefined && this.#received !== this.#options.size) {
        throw incompleteBody();
      }
      facts = this.#options.verifier.finish(trailer);
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.stop();
    this.#sink?.done(facts);
  };

  readonly #onError = (cause: unknown): void => this.#fail(incompleteBody(cause));

  /** Comes before `end` only when the client has hung up. */
  readonly #onClose = (): void => this.#fail(incompleteBody());

  /** A client that hangs up may abort the call before the request says so itself. */
  readonly #onAbort = (): void => {
    const { source, signal } = this.#options;
    this.#fail(source.destroyed ? incompleteBody(signal.reason) : signal.reason);
  };

  #stopClock(): void {
    const { facts } = this.#options;
    if (facts !== undefined && this.#waitingSince !== undefined) {
      facts.clientWaitMs += performance.now() - this.#waitingSince;
    }
    this.#waitingSince = undefined;
  }

  #noteBody(): void {
    const { facts, deframer } = this.#options;
    if (facts?.body === undefined) return;
    facts.body.received = this.#received;
    facts.body.chunks = deframer.chunks;
  }

  #fail(error: unknown): void {
    if (this.#over) {
      return;
    }
    this.stop();
    this.#sink?.failed(error instanceof Error ? error : new Error('reading the body was given up', { cause: error }));
  }
}

function ignore(): void {
  // nothing left to tell
}
