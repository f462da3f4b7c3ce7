/** One request as bytes, small enough to be sent to the load process as a message. */
export interface WireRequest {
  /** Request line and header lines with the empty line. */
  readonly head: string;
  readonly body?: WireBody;
}

/** `times` pieces of prefix, filler and suffix, then the tail. */
export interface WireBody {
  readonly prefix: string;
  /** Bytes of filler in each piece. */
  readonly fill: number;
  readonly suffix: string;
  readonly times: number;
  /** Where each piece has another prefix: theirs, all of one length. */
  readonly prefixes?: readonly string[];
  readonly tail: string;
}

/** The filler of all bodies; what a checksum needs to be computed over. */
export function filler(size: number): Buffer {
  return Buffer.alloc(size, 'bytes to be uploaded, ');
}

/** @param size a multiple of 1 MiB, or less */
export function plainBody(size: number): WireBody {
  const fill = Math.min(size, PIECE);
  return { prefix: '', fill, suffix: '', times: fill === 0 ? 0 : size / fill, tail: '' };
}

/** aws-chunked without signatures: chunks of the size that botocore sends, and a trailer. */
export function trailerBody(size: number, trailer: string): WireBody {
  const { fill, times } = plainBody(size);
  return { prefix: `${fill.toString(16)}\r\n`, fill, suffix: '\r\n', times, tail: `0\r\n${trailer}\r\n\r\n` };
}

export function bodyLength({ prefix, prefixes, fill, suffix, times, tail }: WireBody): number {
  return ((prefixes?.[0] ?? prefix).length + fill + suffix.length) * times + tail.length;
}

const PIECE = 1024 * 1024;
