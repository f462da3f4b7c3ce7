import { ChunkSignatureChain, type ChunkSigningContext } from '../../auth/chunk-signature.ts';
import { S3Error } from '../../errors/s3-error.ts';
import { incompleteBody } from './body-errors.ts';
import type { Deframer } from './deframer.ts';
import { parseTrailer, verifySignedTrailer, type TrailerField } from './trailer.ts';

interface AwsChunkedOptions {
  /** `x-amz-decoded-content-length`: no chunk may go beyond it. */
  readonly size: number;
  /** Absent when the chunks are not signed. */
  readonly signing?: ChunkSigningContext | undefined;
  /** The body ends in a trailer, signed when the chunks are. */
  readonly trailer: boolean;
}

type State = 'chunk header' | 'data' | 'end of data' | 'trailer';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SIGNED_HEADER = /^([0-9a-fA-F]{1,16});chunk-signature=([^;]*)$/;
const UNSIGNED_HEADER = /^([0-9a-fA-F]{1,16})$/;
/** A signed header takes up to 97 bytes. */
const MAX_HEADER_BYTES = 256;
const MAX_TRAILER_BYTES = 16 * 1024;
const MIN_CHUNK_BYTES = 8192;

/**
 * aws-chunked framing, signed or not. Source: "Transferring payload in multiple chunks" and "Including
 * trailing headers", S3 API reference.
 *
 * The data of a chunk is passed on before its signature is checked, because a chunk may be of any size. That is safe
 * for one reason only: the consumer of the payload holds the last bytes back until `end` has returned, and a backend
 * commits nothing before the declared length has arrived.
 */
export class AwsChunkedDeframer implements Deframer {
  readonly #chain: ChunkSignatureChain | undefined;
  readonly #hasTrailer: boolean;
  #state: State = 'chunk header';
  /** The beginning of a line or of the trailer, kept until the rest arrives. */
  #text = '';
  /** Payload bytes that may still be announced. */
  #unannounced: number;
  #chunkLeft = 0;
  #chunkSize = 0;
  #chunkNumber = 0;
  #signature = '';
  #sawReturn = false;

  constructor(options: AwsChunkedOptions) {
    this.#chain = options.signing === undefined ? undefined : new ChunkSignatureChain(options.signing);
    this.#hasTrailer = options.trailer;
    this.#unannounced = options.size;
  }

  get chunks(): number {
    return this.#chunkNumber;
  }

  push(bytes: Buffer, emit: (payload: Buffer) => void): void {
    let at = 0;
    while (at < bytes.length) {
      switch (this.#state) {
        case 'chunk header':
          at = this.#readHeader(bytes, at);
          break;
        case 'data':
          at = this.#readData(bytes, at, emit);
          break;
        case 'end of data':
          at = this.#readEndOfData(bytes, at);
          break;
        case 'trailer':
          at = this.#readTrailer(bytes, at);
          break;
      }
    }
  }

  end(): readonly TrailerField[] {
    if (this.#state !== 'trailer') {
      throw incompleteBody();
    }
    const fields = parseTrailer(this.#text);
    if (!this.#hasTrailer && fields.length > 0) {
      throw new S3Error('MalformedTrailerError');
    }
    return this.#hasTrailer && this.#chain !== undefined ? verifySignedTrailer(fields, this.#chain) : fields;
  }

  #readHeader(bytes: Buffer, at: number): number {
    const feed = bytes.indexOf(LINE_FEED, at);
    const end = feed < 0 ? bytes.length : feed;
    if (this.#text.length + end - at > MAX_HEADER_BYTES) {
      throw incompleteBody();
    }
    this.#text += bytes.toString('latin1', at, end);
    if (feed >= 0) {
      const line = this.#text;
      this.#text = '';
      this.#startChunk(line);
    }
    return end + 1;
  }

  #startChunk(line: string): void {
    const match = line.endsWith('\r')
      ? (this.#chain === undefined ? UNSIGNED_HEADER : SIGNED_HEADER).exec(line.slice(0, -1))
      : null;
    const size = Number.parseInt(match?.[1] ?? '', 16);
    if (Number.isNaN(size) || size > this.#unannounced) {
      throw incompleteBody();
    }
    this.#signature = match?.[2] ?? '';
    if (size === 0) {
      this.#verifyChunk();
      this.#state = 'trailer';
      return;
    }
    if (this.#chunkNumber > 0 && this.#chunkSize < MIN_CHUNK_BYTES) {
      throw new S3Error('InvalidChunkSizeError', {
        extra: { Chunk: this.#chunkNumber, BadChunkSize: this.#chunkSize },
      });
    }
    this.#chunkNumber += 1;
    this.#chunkSize = size;
    this.#chunkLeft = size;
    this.#unannounced -= size;
    this.#state = 'data';
  }

  #readData(bytes: Buffer, at: number, emit: (payload: Buffer) => void): number {
    const end = Math.min(bytes.length, at + this.#chunkLeft);
    const data = at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end);
    this.#chunkLeft -= data.length;
    if (this.#chunkLeft === 0) {
      this.#state = 'end of data';
    }
    this.#chain?.update(data);
    emit(data);
    return end;
  }

  #readEndOfData(bytes: Buffer, at: number): number {
    if (bytes[at] !== (this.#sawReturn ? LINE_FEED : CARRIAGE_RETURN)) {
      throw incompleteBody();
    }
    if (this.#sawReturn) {
      this.#verifyChunk();
      this.#state = 'chunk header';
    }
    this.#sawReturn = !this.#sawReturn;
    return at + 1;
  }

  #readTrailer(bytes: Buffer, at: number): number {
    if (this.#text.length + bytes.length - at > MAX_TRAILER_BYTES) {
      throw new S3Error('MalformedTrailerError');
    }
    this.#text += bytes.toString('latin1', at);
    return bytes.length;
  }

  #verifyChunk(): void {
    if (this.#chain !== undefined && !this.#chain.endChunk(this.#signature)) {
      throw new S3Error('SignatureDoesNotMatch');
    }
  }
}
