import { NamedValues } from '../../../src/observe/named-values.ts';

/**
 * The peer sent something that is not HTTP/1.1, or more than the client accepts. The connection is useless from here
 * on.
 */
export class MalformedResponse extends Error {
  constructor(what: string) {
    super(`malformed answer: ${what}`);
    this.name = 'MalformedResponse';
  }
}

/** How the end of a body is recognised (RFC 9112 section 6.3). */
export type Framing =
  | { readonly kind: 'empty' }
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'untilClose' };

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface ResponseHead {
  readonly status: number;
  /** Lower-case names; values as they came, Latin-1. A repeated header is an array. */
  readonly headers: AnswerHeaders;
  readonly framing: Framing;
  /** The peer lets the connection live on after this answer, and nothing of this answer can come later. */
  readonly keepAlive: boolean;
}

/** Longest head that is taken; Azure's metadata are 8 KiB at most. */
export const MAX_HEAD = 64 * 1024;

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9][0-9]{2})(?: |$)/;
/** Control characters: in what stands between the ends of lines also CR and LF, which have to stand together. */
// oxlint-disable-next-line no-control-regex -- exactly the bytes that have no place in a line
const BAD_BYTES = /[\0-\x08\x0a-\x1f\x7f]/;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const LENGTH = /^[0-9]{1,15}$/;

/**
 * @param text Latin-1, from the status line up to, not including, the empty line
 * @param method of the request: it decides whether a body follows
 * @throws MalformedResponse
 */
export function parseResponseHead(text: string, method: string): ResponseHead {
  const firstEnd = text.indexOf('\r\n');
  const line = STATUS_LINE.exec(withoutControl(firstEnd < 0 ? text : text.slice(0, firstEnd)));
  if (line === null) throw new MalformedResponse('status line');
  const status = Number(line[2]);
  const headers = parseFields(text, firstEnd);
  return {
    status,
    headers,
    framing: framingOf(method, status, headers),
    keepAlive: keepsAlive(line[1] === '1', headers) && !announcesBodyInVain(method, status, headers),
  };
}

function withoutControl(text: string): string {
  if (BAD_BYTES.test(text)) throw new MalformedResponse('control character in head');
  return text;
}

function parseFields(text: string, firstEnd: number): AnswerHeaders {
  const headers = new NamedValues<string | string[] | undefined>();
  let end = firstEnd;
  while (end >= 0) {
    const start = end + 2;
    end = text.indexOf('\r\n', start);
    const stop = end < 0 ? text.length : end;
    const colon = text.indexOf(':', start);
    if (colon < 0 || colon >= stop) throw new MalformedResponse('header line');
    const name = nameOf(text.slice(start, colon));
    const value = withoutControl(trimmed(text, colon + 1, stop));
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else if (typeof before === 'string') headers[name] = [before, value];
    else before.push(value);
  }
  return headers;
}

const BLANK = 0x20;
const TAB = 0x09;

/** Cut once: `trim` would cut a second time, and take a byte A0 off a value in UTF-8. */
function trimmed(text: string, from: number, to: number): string {
  let first = from;
  let end = to;
  while (first < end && isBlank(text.charCodeAt(first))) first += 1;
  while (end > first && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(first, end);
}

function isBlank(code: number): boolean {
  return code === BLANK || code === TAB;
}

/** Services send the same few names over and over: their lower-case form is looked up. */
const knownNames = new Map<string, string>();
const MAX_KNOWN_NAMES = 512;

/** A folded line (RFC 9112 section 5.2) begins with a space, which no name holds: it is refused here. */
function nameOf(raw: string): string {
  const known = knownNames.get(raw);
  if (known !== undefined) return known;
  if (!TOKEN.test(raw)) throw new MalformedResponse('header name');
  const name = raw.toLowerCase();
  if (knownNames.size < MAX_KNOWN_NAMES) knownNames.set(raw, name);
  return name;
}

function framingOf(method: string, status: number, headers: AnswerHeaders): Framing {
  const coding = headers['transfer-encoding'];
  const length = headers['content-length'];
  if (coding !== undefined && length !== undefined) throw new MalformedResponse('two framings');
  if (length !== undefined && (typeof length !== 'string' || !LENGTH.test(length))) {
    throw new MalformedResponse('content-length');
  }
  if (coding !== undefined && (typeof coding !== 'string' || coding.toLowerCase() !== 'chunked')) {
    throw new MalformedResponse('transfer-encoding');
  }
  if (method === 'HEAD' || status < 200 || isBodiless(status)) return { kind: 'empty' };
  if (coding !== undefined) return { kind: 'chunked' };
  if (length !== undefined) return { kind: 'length', length: Number(length) };
  // The end of such a body cannot be told from a broken connection: good enough for an error page only.
  if (status < 400) throw new MalformedResponse('no framing');
  return { kind: 'untilClose' };
}

function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}

/**
 * Peers that announce a body where none can be may send one, and nothing tells its bytes from the next answer: whether
 * they come with the head or after it must not matter. RFC 9110 section 8.6 lets 304 name the length of what it stands
 * for, so such an answer is as good as any; it costs its connection. Answers to HEAD have a length as a rule.
 */
function announcesBodyInVain(method: string, status: number, headers: AnswerHeaders): boolean {
  if (!isBodiless(status)) return false;
  if (headers['transfer-encoding'] !== undefined) return true;
  return method !== 'HEAD' && Number(headers['content-length'] ?? 0) > 0;
}

function keepsAlive(persistent: boolean, headers: AnswerHeaders): boolean {
  const options = headers['connection'];
  if (options === undefined) return persistent;
  const tokens = String(options)
    .toLowerCase()
    .split(',')
    .map((token) => token.trim());
  if (tokens.includes('close')) return false;
  return persistent || tokens.includes('keep-alive');
}

const TERMINATOR = Buffer.from('\r\n\r\n');
const BEGINNING = Buffer.from('HTTP/1.');

/** The text of a head that is complete. */
interface HeadText {
  readonly text: string;
  /** Where in the bytes given last the head ended. */
  readonly end: number;
}

/** Gathers the head of an answer, however it is cut. Mostly it comes in one piece, and nothing is copied. */
export class HeadReader {
  #kept: Buffer | undefined;
  #length = 0;

  /** Undefined: more is needed. @throws MalformedResponse when this is no head, or one that is too long */
  push(bytes: Buffer): HeadText | undefined {
    if (this.#length === 0) {
      const at = bytes.indexOf(TERMINATOR);
      if (at >= 0 && at <= MAX_HEAD) return { text: bytes.toString('latin1', 0, at), end: at + TERMINATOR.length };
    }
    return this.#gather(bytes);
  }

  #gather(bytes: Buffer): HeadText | undefined {
    const kept = (this.#kept ??= Buffer.allocUnsafe(MAX_HEAD + TERMINATOR.length));
    const before = this.#length;
    const copied = bytes.copy(kept, before);
    this.#length = before + copied;
    const soFar = kept.subarray(0, this.#length);
    const beginning = Math.min(this.#length, BEGINNING.length);
    if (soFar.compare(BEGINNING, 0, beginning, 0, beginning) !== 0) throw new MalformedResponse('status line');
    const at = soFar.indexOf(TERMINATOR, Math.max(0, before - TERMINATOR.length + 1));
    if (at < 0) {
      if (this.#length >= kept.length) throw new MalformedResponse('head too long');
      return undefined;
    }
    this.#length = 0;
    this.#kept = undefined;
    return { text: soFar.toString('latin1', 0, at), end: at + TERMINATOR.length - before };
  }
}
