import type { AccessRule } from '../../observe/access-facts.ts';
import type { KeptAuth, KeptBody, KeptCall, KeptFailure, KeptRequest, SignatureReport } from './kept-request.ts';

/*
 * A request as it lies in the journal's memory: its values in a fixed order, each on a line of its own, the headers last. Little
 * more than half as long as JSON with names, which every request would pay for; names are put to the values when somebody reads.
 * `pack-request.ts` writes what is read here.
 */

/** In place of a value that is not there. */
const NOTHING = '\\-';
const SPECIAL = /[\n\\]/;
/** Parts of a millisecond in which times are written: whole numbers are written and read fastest. */
const TICKS_PER_MS = 100;

/** A text that may hold anything. */
export function textLine(text: string | undefined): string {
  if (text === undefined) return NOTHING;
  return SPECIAL.test(text) ? text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n') : text;
}

/** A word that the gateway has made itself: it holds nothing that would need care. */
export function wordLine(word: string | undefined): string {
  return word ?? NOTHING;
}

/** What is there seldom. */
export function jsonLine(value: object | undefined): string {
  return value === undefined ? NOTHING : JSON.stringify(value);
}

export function timeLine(time: number | undefined, start: number): number | string {
  return time === undefined ? NOTHING : ticks(time - start);
}

/** Finer than that the clock says nothing. */
export function ticks(ms: number): number {
  return Math.round(ms * TICKS_PER_MS);
}

/** How the text of a request with this id begins. */
export function beginningOf(id: string): string {
  return `${id}\n`;
}

/** @param text as `packRequest` made it */
export function readRequest(text: string): KeptRequest {
  const lines = new Lines(text);
  return {
    id: lines.text(),
    traceId: lines.text(),
    arrived: lines.number(),
    method: lines.text(),
    target: lines.text(),
    httpVersion: lines.text(),
    scheme: lines.text(),
    client: lines.optional(),
    operation: lines.optional(),
    bucket: lines.optional(),
    key: lines.optional(),
    versionId: lines.optional(),
    uploadId: lines.optional(),
    virtualHost: lines.flag(),
    auth: readAuth(lines),
    authorization: readAuthorization(lines),
    authorizations: lines.number(),
    backendCalls: lines.number(),
    backendRetries: lines.number(),
    body: readBody(lines),
    authenticated: lines.time(),
    authorized: lines.time(),
    firstByte: lines.time(),
    ended: lines.time(),
    clientWaitMs: lines.time() ?? 0,
    backendWaitMs: lines.time() ?? 0,
    status: lines.number(),
    failure: lines.json() as KeptFailure | undefined,
    clientLeft: lines.flag(),
    bytesIn: lines.number(),
    bytesOut: lines.number(),
    heads: lines.list(() => ({ name: lines.text(), before: lines.optional(), kind: lines.optional(), after: lines.optional() })),
    backend: lines.list(() => readCall(lines)),
    headersOmitted: lines.number(),
    headers: lines.rest(),
  };
}

function readAuth(lines: Lines): KeptAuth | undefined {
  if (lines.flag() === undefined) return undefined;
  return {
    method: lines.optional() as KeptAuth['method'],
    account: lines.optional(),
    user: lines.optional(),
    accessKeyId: lines.optional(),
    anonymous: lines.flag(),
    failure: lines.json() as KeptAuth['failure'],
    report: lines.json() as SignatureReport | undefined,
  };
}

function readAuthorization(lines: Lines): KeptRequest['authorization'] {
  const action = lines.optional();
  if (action === undefined) return undefined;
  return { action, allowed: lines.flag() ?? false, rule: lines.text() as AccessRule };
}

function readBody(lines: Lines): KeptBody | undefined {
  const framing = lines.optional();
  if (framing === undefined) return undefined;
  return {
    framing,
    contentLength: lines.optionalNumber(),
    declaredSize: lines.optionalNumber(),
    received: lines.number(),
    chunks: lines.number(),
    ...((lines.json() as Pick<KeptBody, 'declared' | 'computed'> | undefined) ?? { declared: [], computed: [] }),
  };
}

function readCall(lines: Lines): KeptCall {
  return {
    system: lines.text(),
    operation: lines.text(),
    method: lines.text(),
    path: lines.optional(),
    attempt: lines.number(),
    startMs: lines.time() ?? 0,
    durationMs: lines.time(),
    status: lines.optionalNumber(),
    outcome: lines.text(),
    requestId: lines.optional(),
    bytesSent: lines.number(),
    bytesReceived: lines.number(),
    failure: lines.optional(),
  };
}

/** Reads one line after the other. */
class Lines {
  readonly #lines: readonly string[];
  #next = 0;

  constructor(text: string) {
    this.#lines = text.split('\n');
  }

  optional(): string | undefined {
    const line = this.#take();
    if (line === NOTHING) return undefined;
    return line.includes('\\') ? line.replaceAll(/\\(.)/g, (_, mark: string) => (mark === 'n' ? '\n' : mark)) : line;
  }

  text(): string {
    return this.optional() ?? '';
  }

  optionalNumber(): number | undefined {
    const line = this.#take();
    return line === NOTHING ? undefined : Number(line);
  }

  number(): number {
    return this.optionalNumber() ?? 0;
  }

  time(): number | undefined {
    const ticksOf = this.optionalNumber();
    return ticksOf === undefined ? undefined : ticksOf / TICKS_PER_MS;
  }

  flag(): true | undefined {
    return this.#take() === '1' ? true : undefined;
  }

  /** Undefined when it is not there. */
  json(): unknown {
    const line = this.#take();
    return line === NOTHING ? undefined : JSON.parse(line);
  }

  list<T>(one: () => T): T[] {
    return Array.from({ length: this.number() }, one);
  }

  rest(): string {
    return this.#lines.slice(this.#next).join('\n');
  }

  #take(): string {
    const line = this.#lines[this.#next] ?? NOTHING;
    this.#next += 1;
    return line;
  }
}
