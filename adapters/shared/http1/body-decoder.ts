import { type Framing, MalformedResponse } from './response-head.ts';
import type { StoreError } from '../../../src/store/store-error.ts';

/** Removes the framing of a body. */
export interface BodyDecoder {
  /** True when the body is complete. */
  readonly done: boolean;
  /**
   * Hands the content in `bytes` to `onData` in views of `bytes`, and returns how many bytes belonged to
   * the body: fewer than all only when it is done.
   * @throws MalformedResponse
   */
  push(bytes: Buffer, onData: (data: Buffer) => void): number;
  /** The peer ended the connection. @throws MalformedResponse when bytes are missing */
  close(): void;
}

export function createDecoder(framing: Framing): BodyDecoder {
  switch (framing.kind) {
    case 'empty':
      return new LengthDecoder(0);
    case 'length':
      return new LengthDecoder(framing.length);
    case 'chunked':
      return new ChunkedDecoder();
    case 'untilClose':
      return new UntilCloseDecoder();
  }
}

function incomplete(): MalformedResponse {
  return new MalformedResponse('body ended early');
}

class LengthDecoder implements BodyDecoder {
  #left: number;

  constructor(length: number) {
    this.#left = length;
  }

  get done(): boolean {
    return this.#left === 0;
  }

  push(bytes: Buffer, onData: (data: Buffer) => void): number {
    const taken = Math.min(this.#left, bytes.length);
    if (taken === 0) return 0;
    this.#left -= taken;
    onData(taken === bytes.length ? bytes : bytes.subarray(0, taken));
    return taken;
  }

  close(): void {
    if (!this.done) throw incomplete();
  }
}

class UntilCloseDecoder implements BodyDecoder {
  done = false;

  push(bytes: Buffer, onData: (data: Buffer) => void): number {
    onData(bytes);
    return bytes.length;
  }

  close(): void {
    this.done = true;
  }
}

/** Longest line of a chunk's size with its extensions, and of all trailer fields together. */
const MAX_SIZE_LINE = 1024;
const MAX_TRAILER = 16 * 1024;
const CR = 0x0d;
const LF = 0x0a;
const SIZE_LINE = /^([0-9A-Fa-f]{1,12})(?:;[\t\x20-\x7e]*)?$/;

const TRAILER_FIELD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*$/;
/** A trailer cannot declare the length of the body before it (RFC 9110 section 6.5.1). */
const FRAMING_FIELD = /^(?:content-length|transfer-encoding):/i;

type Part = 'size' | 'data' | 'dataEnd' | 'trailer' | 'done';

/** RFC 9112 section 7.1. Extensions and trailer fields are skipped. */
class ChunkedDecoder implements BodyDecoder {
  #part: Part = 'size';
  #left = 0;
  /** The line being read, without its end. */
  #line = '';
  #sawCr = false;
  #trailer = 0;

  get done(): boolean {
    return this.#part === 'done';
  }

  push(bytes: Buffer, onData: (data: Buffer) => void): number {
    let at = 0;
    while (at < bytes.length && this.#part !== 'done') {
      if (this.#part === 'data') at = this.#data(bytes, at, onData);
      else this.#lineByte(bytes[at++] ?? 0);
    }
    return at;
  }

  close(): void {
    if (!this.done) throw incomplete();
  }

  #data(bytes: Buffer, at: number, onData: (data: Buffer) => void): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    if (this.#left === 0) this.#part = 'dataEnd';
    onData(bytes.subarray(at, end));
    return end;
  }

  #lineByte(byte: number): void {
    if (this.#sawCr) {
      if (byte !== LF) throw new MalformedResponse('line end in chunked body');
      this.#sawCr = false;
      const line = this.#line;
      this.#line = '';
      this.#endLine(line);
    } else if (byte === CR) {
      this.#sawCr = true;
    } else {
      this.#line += String.fromCharCode(byte);
      if (byte === LF || this.#line.length > MAX_SIZE_LINE) throw new MalformedResponse('line in chunked body');
    }
  }

  #endLine(line: string): void {
    if (this.#part === 'dataEnd') {
      if (line !== '') throw new MalformedResponse('chunk longer than its size');
      this.#part = 'size';
    } else if (this.#part === 'size') {
      const size = SIZE_LINE.exec(line)?.[1];
      if (size === undefined) throw new MalformedResponse('chunk size');
      this.#left = Number.parseInt(size, 16);
      this.#part = this.#left === 0 ? 'trailer' : 'data';
    } else {
      this.#trailer += line.length;
      if (this.#trailer > MAX_TRAILER) throw new MalformedResponse('trailer too long');
      if (line === '') this.#part = 'done';
      else if (!TRAILER_FIELD.test(line) || FRAMING_FIELD.test(line)) throw new MalformedResponse('trailer field');
    }
  }
}

/** Takes the content of a body once a reader wants it. */
export interface BodyConsumer {
  /** `data` is valid during the call only, but for bytes read into a buffer the consumer gave itself. */
  data(data: Buffer): void;
  /** Called when all bytes of one read have been handed over: now is the time to name the buffer for the next read. */
  afterRead(): void;
  end(): void;
  fail(error: StoreError): void;
}
