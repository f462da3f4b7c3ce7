import { OutgoingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { StoreError } from '../../../src/store/store-error.ts';
import { leaveBy } from '../../../src/streams/turn-end.ts';
import { bulkPacer } from '../../../src/streams/bulk-pacer.ts';
import type { SinkClock } from '../../../src/streams/bytes.ts';
import type { BodyConsumer } from './body-decoder.ts';
import { type Connection, ConnectionError } from './connection.ts';
import { Slab } from './slab.ts';

/**
 * Only where the callback of a write means that the kernel has the bytes may a buffer be used again
 * after it. A stream that merely passes chunks on calls back while they still wait further down.
 */
export function takesBuffersBack(sink: Writable): boolean {
  return sink instanceof OutgoingMessage || sink instanceof Socket;
}

/** Slabs of one body: one is being filled while the other is on its way out. */
const SLABS = 2;
/** A slab with less room than this is full: a TLS record has up to 16 KiB. */
const LEAST_ROOM = 16 * 1024;

/** A sink that once takes longer for a slab is slow, and gets by with small ones. Milliseconds. */
const SLOW = 1000;
/** It is so no longer when it has taken this much without: more than what lies in the kernel between two waits. */
const QUICK_BYTES = 2 * 1024 * 1024;

/** How long a patient writer looks at a sink that makes it wait, milliseconds, and what a slow one takes then. */
const WINDOW_MS = 2000;
const SLOW_BYTES = 1024 * 1024;

interface WriterOptions {
  readonly clock: SinkClock | undefined;
  /** Gives the connection back when the sink proves slow. */
  readonly patient: boolean;
}

/**
 * Moves a body from its connection to a sink through two slabs: the connection reads into one, the sink writes out of
 * it, and the slab begins anew after those writes have called back (`Slab`). If there is none to read into, the
 * connection waits. A sink that takes slowly must not hold much memory meanwhile: such a body goes on with small slabs,
 * and others get the large ones.
 */
export class DirectWriter implements BodyConsumer {
  readonly #sink: Writable;
  readonly #connection: Connection;
  readonly #clock: SinkClock | undefined;
  readonly #slabs: Slab[] = [];
  /** What the connection reads into; absent while the writes out of all slabs are waited for. */
  #current: Slab | undefined;
  /** TLS brings many small pieces: those of one turn of the loop leave in one write. */
  #flush: NodeJS.Immediate | undefined;
  #waitingSince: number | undefined;
  /** Read and not told to the pacer yet. */
  #read = 0;
  /** Others go first: see `BulkPacer`. */
  #outOfTurn = false;
  readonly #place = bulkPacer.enter(() => this.#onTurn(), 'while others wait');
  #isSlow = false;
  /** Written out since the sink was slow. */
  #quickBytes = 0;
  #sinkIsClosed = false;
  /** The connection reads no more of this body. */
  #ended = false;
  readonly #onSinkClosed = (): void => {
    this.#sinkIsClosed = true;
    this.#finish(this.#sink.writableFinished ? undefined : sinkFailure(new Error('sink closed')));
  };
  readonly #onSinkError = (error: Error): void => this.#finish(sinkFailure(error));
  readonly #settled = Promise.withResolvers<number>();
  readonly #patient: boolean;
  /** Ends the window in which a patient writer looks how fast the sink is. */
  #window: NodeJS.Timeout | undefined;
  /** Bytes handed to the sink, and how many of them before the window. */
  #handed = 0;
  #handedBefore = 0;
  /** The connection was given back: what has come is still to be taken. */
  #isGivenBack = false;

  constructor(sink: Writable, connection: Connection, { clock, patient }: WriterOptions) {
    this.#sink = sink;
    this.#connection = connection;
    this.#clock = clock;
    this.#patient = patient;
    sink.on('close', this.#onSinkClosed).on('error', this.#onSinkError);
    if (sink.destroyed) this.#onSinkClosed();
  }

  /**
   * Settles when the sink has taken everything and is ended, or either side failed; and, if it is patient, when the
   * connection was given back and the sink has what came until then. Resolves to the bytes that the sink has.
   */
  get finished(): Promise<number> {
    return this.#settled.promise;
  }

  data(data: Buffer): void {
    this.#read += data.length;
    const slab = this.#current;
    if (slab?.follow(data)) return;
    this.#writeOut();
    if (slab?.skipTo(data)) return;
    this.#quickBytes += data.length;
    this.#handed += data.length;
    this.#sink.write(Buffer.from(data));
  }

  afterRead(): void {
    if (this.#connection.options.tls !== undefined && this.#hasRoom) {
      this.#flush ??= setImmediate(() => this.#flushNow());
    } else {
      this.#writeOut();
      this.#nextSlab();
    }
    if (this.#current === undefined) this.#waitForSink();
    else this.#connection.readInto(this.#current.room);
    const bytes = this.#read;
    this.#read = 0;
    if (this.#place.mayGoOn(bytes)) return;
    this.#outOfTurn = true;
    this.#connection.pause();
  }

  end(): void {
    // The connection is no longer this body's: nothing may resume it from here on.
    this.#stopClock();
    this.#place.leave();
    this.#ended = true;
    clearImmediate(this.#flush);
    this.#writeOut();
    const ending = performance.now();
    this.#sink.end(() => {
      if (this.#clock !== undefined) this.#clock.clientWaitMs += performance.now() - ending;
      this.#finish(undefined);
    });
  }

  fail(error: StoreError): void {
    if (!this.#isGivenBack) this.#finish(error);
  }

  #flushNow(): void {
    this.#flush = undefined;
    this.#writeOut();
  }

  get #hasRoom(): boolean {
    return this.#current !== undefined && this.#current.room.length >= LEAST_ROOM;
  }

  #writeOut(): void {
    const slab = this.#current;
    if (slab === undefined || slab.isHandedOver) return;
    const bytes = slab.takeOut();
    this.#quickBytes += bytes.length;
    this.#handed += bytes.length;
    this.#sink.write(bytes, () => this.#written(slab));
  }

  /** The other slab if it is free, else the rest of this one, else none. Only between two reads. */
  #nextSlab(): void {
    const free = this.#freeSlab();
    if (free !== undefined) this.#current = free;
    else if (!this.#hasRoom) this.#current = undefined;
  }

  #freeSlab(): Slab | undefined {
    if (this.#quickBytes > QUICK_BYTES) this.#isSlow = false;
    if (this.#slabs.length < SLABS) {
      const slab = new Slab(this.#connection.options.slabs, this.#isSlow);
      this.#slabs.push(slab);
      return slab;
    }
    const free = this.#slabs.find((slab) => slab !== this.#current && !slab.isBeingWritten);
    free?.beginAnew(this.#isSlow);
    return free;
  }

  #waitForSink(): void {
    this.#waitingSince ??= performance.now();
    this.#connection.pause();
    if (!this.#patient || this.#window !== undefined) return;
    this.#handedBefore = this.#handed;
    this.#window = setTimeout(() => this.#judgeSink(), WINDOW_MS);
  }

  /** The sink had to be waited for when the window began, and has to be now. */
  #judgeSink(): void {
    this.#window = undefined;
    if (this.#waitingSince !== undefined && this.#handed - this.#handedBefore <= SLOW_BYTES) this.giveBack();
  }

  get canGoOn(): boolean {
    return this.#patient && !this.#ended && !this.#isGivenBack;
  }

  /** Gives the connection back, if it is patient. @returns false: it is not, or has ended */
  giveBack(): boolean {
    if (!this.canGoOn) return false;
    this.#isGivenBack = true;
    clearImmediate(this.#flush);
    this.#writeOut();
    this.#connection.fail(new ConnectionError('aborted', 'given back'));
    this.#finishIfTaken();
    return true;
  }

  #finishIfTaken(): void {
    if (this.#slabs.every((slab) => !slab.isBeingWritten)) this.#finish(undefined);
  }

  #written(slab: Slab): void {
    slab.written();
    if (this.#isGivenBack) {
      this.#finishIfTaken();
      return;
    }
    if (this.#waitingSince === undefined || slab.isBeingWritten) return;
    this.#stopClock();
    if (!this.#outOfTurn) this.#connection.resume();
  }

  #onTurn(): void {
    this.#outOfTurn = false;
    if (this.#waitingSince === undefined) this.#connection.resume();
  }

  #stopClock(): void {
    if (this.#waitingSince === undefined) return;
    const waited = performance.now() - this.#waitingSince;
    this.#waitingSince = undefined;
    if (this.#clock !== undefined) this.#clock.clientWaitMs += waited;
    if (waited <= SLOW) return;
    this.#isSlow = true;
    this.#quickBytes = 0;
  }

  #finish(error: StoreError | undefined): void {
    this.#stopClock();
    this.#place.leave();
    clearImmediate(this.#flush);
    clearTimeout(this.#window);
    this.#sink.off('close', this.#onSinkClosed);
    this.#giveBack(error === undefined);
    this.#current = undefined;
    if (error === undefined) this.#settled.resolve(this.#handed);
    else this.#settled.reject(error);
  }

  /** After a failure the kernel may still hold a slab, or the connection be about to read into it, until both close. */
  #giveBack(clean: boolean): void {
    const all = this.#slabs.splice(0);
    for (const slab of all) slab.giveUp();
    const reclaim = (): void => {
      for (const slab of all) slab.reclaim();
    };
    const whenRead = (): void => (this.#ended ? reclaim() : this.#connection.whenClosed(reclaim));
    if (clean) whenRead();
    else if (this.#sinkIsClosed) whenRead();
    else this.#sink.once('close', whenRead);
  }
}

function sinkFailure(cause: unknown): StoreError {
  return new StoreError('aborted', { call: 'read', cause });
}

/** Bodies up to this go out in one write with the head of an HTTP answer. */
export const ONE_WRITE = 16 * 1024;

/**
 * Ends `sink` with a body. Throws or rejects when it is closed before it has taken it, or the signal is aborted. A
 * small answer leaves at the end of the turn, or at once over TLS; whether its client takes it is seen where its
 * connection is watched.
 * @param body a text is Latin-1: node:http puts it behind its head and makes one write of both
 * @returns undefined: there is nothing to wait for
 */
export function endSink(sink: Writable, body: Buffer | string, signal: AbortSignal): Promise<void> | undefined {
  if (signal.aborted) throw sinkFailure(signal.reason);
  if (sink.destroyed) throw sinkFailure(new Error('sink closed'));
  if (sink instanceof OutgoingMessage && body.length <= ONE_WRITE) {
    const text = latin1Of(body);
    leaveBy(sink.socket, () => sink.end(text, 'latin1'));
    return undefined;
  }
  sink.end(typeof body === 'string' ? Buffer.from(body, 'latin1') : body);
  const taken = takesBuffersBack(sink) && sink.writableLength === 0;
  return taken ? undefined : untilFinished(sink, signal);
}

/** Latin-1 leaves every byte as it is. */
function latin1Of(body: Buffer | string): string {
  return typeof body === 'string' ? body : body.toString('latin1');
}

function untilFinished(sink: Writable, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error): void => {
      sink.off('finish', onFinish).off('close', onClose).off('error', settle);
      signal.removeEventListener('abort', onAbort);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onFinish = (): void => settle();
    const onClose = (): void => settle(new Error('sink closed'));
    const onAbort = (): void => settle(sinkFailure(signal.reason));
    sink.on('finish', onFinish).on('close', onClose).on('error', settle);
    signal.addEventListener('abort', onAbort);
  });
}
