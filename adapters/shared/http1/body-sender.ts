import { readBuffers } from '../../../src/streams/read-buffers.ts';
import type { ExactBody } from '../wire/exact-body.ts';
import type { Connection } from './connection.ts';

/**
 * Sends a streamed body, with the head of its request before the first of it. What comes in one turn of the event loop
 * leaves in as few writes as the window allows: each write wakes the peer, which costs more than the bytes.
 */
export class BodySender {
  readonly #connection: Connection;
  readonly #body: ExactBody;
  #head: string | undefined;
  #batch: Uint8Array[] = [];
  #gathered = 0;
  /** Came, and is not with the kernel yet. */
  #unsent = 0;
  #sent = 0;
  #held = false;
  #flushing: NodeJS.Immediate | undefined;
  #state: 'waiting' | 'sending' | 'sent' | 'over' = 'waiting';

  /** @param head Latin-1 */
  constructor(connection: Connection, head: string, body: ExactBody) {
    this.#connection = connection;
    this.#head = head;
    this.#body = body;
  }

  /** @param onFailure told what the stream did wrong; no more is sent then */
  start(onFailure: (error: Error) => void): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'sending';
    this.#connection.options.windows.open();
    this.#body
      .on('data', (chunk: Uint8Array) => this.#take(chunk))
      .on('end', () => this.#end())
      .on('error', onFailure)
      .resume();
  }

  /** Every byte has been handed to the socket: the service may have the whole request. */
  get complete(): boolean {
    return this.#state === 'sent';
  }

  /** Bytes that the kernel has. */
  get sent(): number {
    return this.#sent;
  }

  /** Nothing is on its way to the peer, since no more of the body is here. */
  get waitsForBody(): boolean {
    return this.#unsent === 0 && !this.complete;
  }

  /** The request is over, or nothing of it can be sent any more. */
  stop(): void {
    if (this.#state === 'over') return;
    if (this.#state === 'sending') this.#connection.options.windows.close();
    this.#state = 'over';
    clearImmediate(this.#flushing);
    this.#batch = [];
    this.#body.destroy();
  }

  #take(chunk: Uint8Array): void {
    if (this.#state !== 'sending') return;
    this.#batch.push(chunk);
    this.#gathered += chunk.byteLength;
    this.#unsent += chunk.byteLength;
    const window = this.#connection.options.windows.size;
    if (2 * this.#gathered >= window) this.#flush();
    else this.#flushing ??= setImmediate(() => this.#flush());
    if (this.#unsent >= window && !this.#held) {
      this.#held = true;
      this.#body.pause();
    }
  }

  #end(): void {
    if (this.#state !== 'sending') return;
    this.#flush();
    this.#state = 'sent';
    this.#connection.options.windows.close();
  }

  #flush(): void {
    clearImmediate(this.#flushing);
    this.#flushing = undefined;
    const batch = this.#batch;
    const bytes = this.#gathered;
    this.#batch = [];
    this.#gathered = 0;
    if (batch.length === 0) return;
    this.#connection.write(this.#head, batch, () => this.#written(batch, bytes));
    this.#head = undefined;
  }

  #written(batch: readonly Uint8Array[], bytes: number): void {
    for (const chunk of batch) readBuffers.sent(chunk);
    this.#unsent -= bytes;
    this.#sent += bytes;
    if (!this.#held || this.#state !== 'sending' || 4 * this.#unsent > this.#connection.options.windows.size) return;
    this.#held = false;
    this.#body.resume();
  }
}
