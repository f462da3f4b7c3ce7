import { createHash, createHmac } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ChunkSigningContext } from '../../../../src/auth/chunk-signature.ts';
import type { PayloadMode } from '../../../../src/auth/payload-mode.ts';
import { HoldBudget } from '../../../../src/protocol/body/hold-budget.ts';
import type { BodyFacts, OpenBodyOptions } from '../../../../src/protocol/body/object-body.ts';
import {
  HttpRequestBody,
  type OwnedRequestBody,
  type RequestBodyOptions,
} from '../../../../src/protocol/body/request-body.ts';
import type { HeaderReader } from '../../../../src/protocol/request.ts';
import { HmacKey } from '../../../../src/streams/hmac-key.ts';

const SIGNING_KEY = Buffer.alloc(32, 7);
export const SIGNING: ChunkSigningContext = {
  signingKey: new HmacKey(SIGNING_KEY),
  amzDate: '20130524T000000Z',
  scope: '20130524/us-east-1/s3/aws4_request',
  seedSignature: '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
};

export type Headers = Readonly<Record<string, string>>;

export function headerReader(headers: Headers): HeaderReader {
  return {
    get: (name) => headers[name],
    startingWith: (prefix) => Object.entries(headers).filter(([name]) => name.startsWith(prefix)),
  };
}

export interface TestBody {
  readonly headers: Headers;
  readonly payload: PayloadMode;
  /** What arrives, piece by piece. */
  readonly wire: readonly Buffer[];
}

export function requestBody(body: TestBody, changes: Partial<RequestBodyOptions> = {}): OwnedRequestBody {
  return new HttpRequestBody({
    source: changes.source ?? Readable.from(body.wire, { objectMode: false }),
    headers: headerReader(body.headers),
    payload: body.payload,
    signing: SIGNING,
    onFirstRead: () => undefined,
    signal: new AbortController().signal,
    holdBudget: new HoldBudget(64 * 1024 * 1024),
    ...changes,
  });
}

/** A source that stays open until told otherwise, as that of a slow client. */
export function openSource(...pieces: readonly Buffer[]): PassThrough {
  const source = new PassThrough({ highWaterMark: 16 * 1024 * 1024 });
  for (const piece of pieces) {
    source.write(piece);
  }
  return source;
}

export const HELD: OpenBodyOptions = { holdBytes: 1024 * 1024, maxSize: 5 * 1024 ** 3, md5: 'ifDeclared' };
export const STREAMED: OpenBodyOptions = { ...HELD, holdBytes: 0 };

export interface Stored {
  readonly kind: 'held' | 'streamed';
  readonly bytes: Buffer;
  readonly facts: BodyFacts;
}

/** Opens a body and takes all of it. */
export async function store(body: OwnedRequestBody, options: OpenBodyOptions): Promise<Stored> {
  const opened = await body.open(options);
  if (opened.kind === 'held') {
    return { kind: 'held', bytes: opened.bytes, facts: opened.facts };
  }
  const bytes = await buffer(opened.stream);
  return { kind: 'streamed', bytes, facts: await opened.facts };
}

export function digest(
  algorithm: 'md5' | 'sha1' | 'sha256',
  bytes: Uint8Array,
  encoding: 'hex' | 'base64' = 'base64',
): string {
  return createHash(algorithm).update(bytes).digest(encoding);
}

/** Signs chunks as a client does, independently of the code under test. */
class ClientChain {
  #previous = SIGNING.seedSignature;

  chunk(data: Uint8Array): string {
    return this.#next(
      'AWS4-HMAC-SHA256-PAYLOAD',
      `${digest('sha256', Buffer.alloc(0), 'hex')}\n${digest('sha256', data, 'hex')}`,
    );
  }

  trailer(text: string): string {
    return this.#next('AWS4-HMAC-SHA256-TRAILER', digest('sha256', Buffer.from(text), 'hex'));
  }

  #next(algorithm: string, hashes: string): string {
    const text = [algorithm, SIGNING.amzDate, SIGNING.scope, this.#previous, hashes].join('\n');
    this.#previous = createHmac('sha256', SIGNING_KEY).update(text).digest('hex');
    return this.#previous;
  }
}

export type StreamingKind = Exclude<PayloadMode['kind'], 'hash' | 'unsigned'>;

interface Framing {
  readonly kind: StreamingKind;
  readonly chunks: readonly Buffer[];
  /** Name and value. */
  readonly trailer?: readonly [string, string];
}

/** A body in aws-chunked framing, with the headers that belong to it. */
export function framed(framing: Framing): TestBody & { readonly content: Buffer } {
  const { kind, chunks, trailer } = framing;
  const signed = kind !== 'streaming-unsigned-trailer';
  const chain = new ClientChain();
  let wire = Buffer.alloc(0);
  for (const chunk of [...chunks, Buffer.alloc(0)]) {
    const header = `${chunk.length.toString(16)}${signed ? `;chunk-signature=${chain.chunk(chunk)}` : ''}\r\n`;
    wire = Buffer.concat([wire, Buffer.from(header), chunk, Buffer.from(chunk.length > 0 ? '\r\n' : '')]);
  }
  if (trailer !== undefined) {
    wire = Buffer.concat([wire, Buffer.from(`${trailer.join(':')}\r\n`)]);
    if (signed) {
      wire = Buffer.concat([
        wire,
        Buffer.from(`x-amz-trailer-signature:${chain.trailer(`${trailer.join(':')}\n`)}\r\n`),
      ]);
    }
  }
  const content = Buffer.concat(chunks);
  const headers = {
    'x-amz-decoded-content-length': String(content.length),
    ...(trailer !== undefined && { 'x-amz-trailer': trailer[0] }),
  };
  return { headers, payload: { kind }, wire: [Buffer.concat([wire, Buffer.from('\r\n')])], content };
}

/** A body as it is, without framing. */
export function plain(
  content: Buffer,
  headers: Headers = {},
  payload: PayloadMode = { kind: 'unsigned' },
): TestBody & { readonly content: Buffer } {
  return { headers: { 'content-length': String(content.length), ...headers }, payload, wire: [content], content };
}
