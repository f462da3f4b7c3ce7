import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { SendableRequest } from './sendable.ts';

const READ_BUFFER = 1024 * 1024;
const TERMINATOR = Buffer.from('\r\n\r\n');
const STATUS = /^HTTP\/1\.1 (\d{3})/;
const CHUNKED = /\r\ntransfer-encoding: *chunked/i;
const LENGTH = /\r\ncontent-length: *(\d+)/i;

/**
 * One keep-alive connection that sends a request, swallows the answer, sends the next. As cheap as it
 * can be: what it costs is missing to the server that is measured, on the same cores.
 */
export class LoadConnection {
  readonly #socket: Socket;
  #head: Buffer | undefined;
  #left = 0;
  #isHead = false;
  /** The last bytes of an answer in chunks, which end it when they are those of its last chunk. */
  #ending: string | undefined;
  #done: PromiseWithResolvers<undefined> = Promise.withResolvers();

  constructor(port: number) {
    const onread = {
      buffer: Buffer.allocUnsafeSlow(READ_BUFFER),
      callback: (length: number, buffer: Uint8Array) => {
        this.#take(Buffer.from(buffer.buffer, buffer.byteOffset, length));
        return true;
      },
    };
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true, onread });
    this.#socket.on('error', (error) => this.#done.reject(error));
    this.#socket.on('close', () => this.#done.reject(new Error('the server closed the connection')));
  }

  /** Resolves when the answer has come whole. Rejects for any status but 2xx. */
  exchange(request: SendableRequest): Promise<undefined> {
    this.#head = Buffer.alloc(0);
    this.#left = 0;
    this.#ending = undefined;
    this.#isHead = request.isHead;
    this.#done = Promise.withResolvers();
    request.writeTo(this.#socket);
    return this.#done.promise;
  }

  /** @param why what is under way fails */
  close(why = new Error('closed')): void {
    this.#done.promise.catch(() => undefined);
    this.#done.reject(why);
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    if (this.#ending !== undefined) {
      this.#takeChunks(bytes);
    } else if (this.#head === undefined) {
      this.#left -= bytes.length;
    } else {
      const all = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes]);
      const end = all.indexOf(TERMINATOR);
      if (end < 0) {
        this.#head = Buffer.from(all);
        return;
      }
      this.#head = undefined;
      this.#onHead(all.toString('latin1', 0, end), all, end + TERMINATOR.length);
    }
    if (this.#left <= 0) this.#done.resolve(undefined);
  }

  #takeChunks(bytes: Buffer): void {
    this.#ending = ((this.#ending ?? '') + bytes.toString('latin1', Math.max(0, bytes.length - 8))).slice(-8);
    this.#left = this.#ending.endsWith('\r\n0\r\n\r\n') ? 0 : 1;
  }

  #onHead(head: string, all: Buffer, bodyAt: number): void {
    const status = Number(STATUS.exec(head)?.[1]);
    if (!(status >= 200 && status < 300)) {
      this.#done.reject(new Error(`refused: ${all.toString('latin1', 0, 1500)}`));
      return;
    }
    if (CHUNKED.test(head)) {
      this.#ending = '\r\n';
      this.#takeChunks(all.subarray(bodyAt));
      return;
    }
    const length = LENGTH.exec(head)?.[1];
    if (length === undefined && !this.#isHead && status !== 204) {
      this.#done.reject(new Error(`answer without length: ${head}`));
    }
    this.#left = this.#isHead ? 0 : Number(length ?? 0) - (all.length - bodyAt);
  }
}
