/**
 * The facts of one request: filled by every layer as they come to know them, read by the observers (metrics, spans,
 * logs, journal) while it runs and when it has ended.
 *
 * Filling must cost next to nothing: fields are set, references are kept, and no text is built that is perhaps never
 * read. Nothing in here is redacted. Code that keeps or shows any of it redacts it (`redact.ts`).
 *
 * Times are milliseconds of the monotonic clock (`performance.now()`); undefined: it has not come to that.
 */

import { sourceOf } from './source-of.ts';
import { CallFacts, type CallWatch, type Failure, type TraceFacts } from './call-facts.ts';

/** Row of the operation table that a request was classified as: name, and what decided for it. */
interface Classification {
  readonly name: string;
  readonly level: 'service' | 'bucket' | 'object' | 'control';
  readonly method: string;
  readonly match: {
    readonly subresource?: string;
    readonly query?: string;
    readonly value?: string;
    readonly header?: string;
  };
  readonly permission: string;
}

/** Who sent a request. */
type Identity =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'account';
      readonly account: { readonly name: string; readonly canonicalId: string };
      readonly user?: { readonly name: string; readonly arn: string };
      readonly accessKeyId: string;
    };

/** What the server computed for a signature that it refused. Without credentials but for the scope's. */
interface SignatureWork {
  readonly canonicalRequest: string;
  readonly stringToSign: string;
}

export interface AuthFacts {
  readonly method: 'header' | 'query' | 'form' | 'anonymous' | undefined;
  /** Undefined when authentication failed. */
  readonly identity: Identity | undefined;
  /** Why it failed. */
  readonly failure: Failure | undefined;
  /**
   * On failure: computed when asked for, from raw head and target; undefined when the request holds nothing to compute
   * it from.
   */
  readonly signature: (() => SignatureWork | undefined) | undefined;
}

/** The body of a request. */
export interface RequestBodyFacts {
  /**
   * What `x-amz-content-sha256` says: `hash`, `unsigned`, `streaming-signed`, `streaming-signed-trailer`,
   * `streaming-unsigned-trailer`.
   */
  readonly framing: string;
  /** Content-Length; undefined when chunked. */
  readonly contentLength: number | undefined;
  /** Payload without framing, as declared. */
  readonly declaredSize: number | undefined;
  /** Payload that came. */
  received: number;
  /** aws-chunked: chunks that came. */
  chunks: number;
  /** As declared in headers, or in the trailer. */
  readonly declared: Digest[];
  /** What was computed, in the same forms: hex for `md5` and `sha256` of the payload, base64 for checksums. */
  readonly computed: Digest[];
}

export interface Digest {
  /** `md5` (Content-MD5), `sha256` (payload hash), `CRC32`, `SHA256` and the other checksums. */
  readonly algorithm: string;
  /** Undefined: announced for the trailer, which did not come. */
  value: string | undefined;
}

/** What is known of a request when its head has come. */
export interface RequestHead {
  readonly requestId: string;
  readonly hostId: string;
  readonly trace: TraceFacts;
  /** Milliseconds since 1970. */
  readonly arrivedAt: number;
  readonly method: string;
  /** Path and query as sent. Holds the signature of presigned URLs: redact. */
  readonly target: string;
  /** Names and values in turn, as sent. Holds credentials: redact. */
  readonly rawHeaders: readonly string[];
  readonly httpVersion: string;
}

/** As OpenSSL names them: `TLSv1.3`, `TLS_AES_256_GCM_SHA384`. */
export interface TlsFacts {
  readonly version: string | undefined;
  readonly cipher: string | undefined;
}

export class RequestFacts extends CallFacts {
  override awaited = true;
  readonly head: RequestHead;
  /** Where its times count from. */
  readonly arrived: number = performance.now();
  authenticated: number | undefined = undefined;
  /** The head of the answer went out. */
  firstByte: number | undefined = undefined;
  ended: number | undefined = undefined;

  /** Undefined until it is known, and when nothing fits. */
  classification: Classification | undefined = undefined;
  bucket: string | undefined = undefined;
  /** Decoded. */
  key: string | undefined = undefined;
  versionId: string | undefined = undefined;
  uploadId: string | undefined = undefined;
  /** The bucket came from the Host header. */
  virtualHost = false;
  clientAddress: string | undefined = undefined;
  scheme: 'http' | 'https' = 'http';
  /** A visit to the website of the bucket. */
  website = false;
  /** Of the connection that ends at this process; undefined: not looked at, or none. */
  tls: TlsFacts | undefined = undefined;

  auth: AuthFacts | undefined = undefined;
  body: RequestBodyFacts | undefined = undefined;

  /** Of the answer; 0 until there is one. */
  status = 0;
  /** The error that was answered, with its causes; undefined on success. */
  failure: Failure | undefined = undefined;
  /** The client was gone before it had the whole answer. */
  clientLeft = false;
  /** Of the answer's body, as announced; undefined when it is sent in chunks. */
  answerBytes: number | undefined = undefined;
  /** Body of the request as it came, framing included; less where it came together with the head. */
  bytesIn = 0;
  /** On the socket: head and framing included. */
  bytesOut = 0;
  #holder: string | undefined;

  constructor(head: RequestHead, watch?: CallWatch) {
    super(head.trace, watch);
    this.head = head;
  }

  /** The account, if there is one, at the client's address: a tenant's clients do not share with each other's. */
  override holder(): string {
    if (this.#holder !== undefined) return this.#holder;
    const identity = this.auth?.identity;
    const account = identity?.kind === 'account' ? identity.account.name : '';
    this.#holder = `${account}@${sourceOf(this.clientAddress ?? '')}`;
    return this.#holder;
  }

  /** Milliseconds from arrival to the end, or until now. */
  get durationMs(): number {
    return (this.ended ?? performance.now()) - this.arrived;
  }

  /** Milliseconds from arrival to the end or until now, in which the client was not what was waited for. */
  get ownMs(): number {
    return this.durationMs - this.clientWaitMs;
  }

  /** Name of the operation; `Unknown` while, or because, nothing fits. */
  get operation(): string {
    return this.classification?.name ?? 'Unknown';
  }
}

/**
 * Told of every request. Must be quick: it runs between requests of other clients. What it throws is logged and
 * forgotten.
 */
export interface RequestObserver {
  /** Operation, address and sender are known, or it is known why not; the rest is still to come. */
  begun?(facts: RequestFacts): void;
  /** Nothing changes any more; the record may be kept. */
  ended?(facts: RequestFacts): void;
}
