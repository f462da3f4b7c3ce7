/**
 * The facts of one request: filled by every layer as they come to know them, read by the observers (metrics, spans,
 * logs, journal) while it runs and when it has ended.
 *
 * Filling must cost next to nothing: fields are set, references are kept, no text is built that perhaps nobody reads.
 * Nothing in here is redacted; whoever keeps or shows any of it does that (`redact.ts`).
 *
 * Times are milliseconds of the monotonic clock (`performance.now()`); undefined: it has not come to that.
 */

import type { AccessDecision, AuthorizationFacts } from './access-facts.ts';

/** Most calls to backends that are kept with their facts; the rest are counted. */
export const MAX_CALLS_KEPT = 64;
/** Most heads whose revisions are kept: a DeleteObjects changes a thousand. */
const MAX_HEADS_KEPT = 8;

/** One call to a backend, attempt by attempt. */
export interface BackendCallFacts {
  /** `azure`, `gcs`, `memory`. */
  readonly system: string;
  /** Method of the port, e.g. `write`. */
  readonly operation: string;
  /** HTTP method; empty where there is no HTTP. */
  readonly method: string;
  /**
   * Percent-encoded path that was called, container and blob in it, without query; undefined where there is no HTTP.
   */
  readonly path: string | undefined;
  /** Its client span, 16 hex digits; undefined when nothing is traced. */
  readonly spanId: string | undefined;
  /** 1 for the first time the call is sent. */
  readonly attempt: number;
  readonly started: number;
  readonly bytesSent: number;
  /** The head of the answer was there, or no answer will come. */
  ended: number | undefined;
  status: number | undefined;
  bytesReceived: number;
  /** The service's own id of the request. */
  backendRequestId: string | undefined;
  outcome: BackendOutcome;
  failure: Failure | undefined;
}

/** `ok`, or the kind of the store's error (`notFound`, `throttled`, `unavailable`, ...). */
type BackendOutcome = 'pending' | 'ok' | (string & {});

/** What any error tells. S3Error and StoreError are such. */
export interface Failure extends Error {
  /** Of an S3Error. */
  readonly code?: string | number;
  readonly status?: number;
  /** Of an S3Error: further elements of the answer. Holds the signature on SignatureDoesNotMatch: redact. */
  readonly extra?: Readonly<Record<string, string | number>>;
  /** Of a StoreError. */
  readonly kind?: string;
}

/** The blob at a key's name, before and after what was done. */
export interface HeadFacts {
  /** Name of the blob, as the store has it. */
  readonly name: string;
  /** Revision that was read first; `absent`: there was none; undefined: not looked at. */
  before: string | undefined;
  /** Kind of the head that was read: `inline`, `link`, `mlink`, `tomb`, `void`. */
  kind: string | undefined;
  /** Revision that this request wrote last; `removed`; undefined: not changed. */
  after: string | undefined;
}

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

/** The place of a request in a trace. */
export interface TraceFacts {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits, of the server span; undefined when nothing is traced. */
  readonly spanId: string | undefined;
  /** Of the caller. */
  readonly parentSpanId: string | undefined;
  /**
   * Head decision: goes to the backends, and decides about export unless the request fails or is slow. Made anew when
   * it is known who calls.
   */
  sampled: boolean;
  readonly traceState: string | undefined;
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

/** Background work, and requests when nothing is traced. */
const UNTRACED: TraceFacts = {
  traceId: '',
  spanId: undefined,
  parentSpanId: undefined,
  sampled: false,
  traceState: undefined,
};

/** What is counted while calls go out; background work has these facts only. */
export class CallFacts {
  readonly trace: TraceFacts;
  /** Told of each call as it ends; gives room for their facts. Undefined: nobody looks. */
  readonly watch: CallWatch | undefined;
  /** Calls sent to a backend, retries included. */
  backendCalls = 0;
  /** Retries among `backendCalls`. */
  backendRetries = 0;
  /** Calls that the backend answered with "later". */
  backendThrottles = 0;
  /** Milliseconds that its changes have waited for others of the same key, or of a name that the service throttles. */
  waitedMs = 0;
  /** Somebody waits for what comes of the calls, and will not wait for ever. */
  awaited = false;
  /**
   * Milliseconds of the clock on the wall in which calls brought no answer that was of use, their repetitions and the
   * pauses before these included.
   */
  vainMs = 0;
  #vainUntil = 0;
  /** The first of them: at most MAX_CALLS_KEPT, fewer when many requests under way make many calls. */
  readonly backend: BackendCallFacts[] = [];
  /** At most MAX_HEADS_KEPT. */
  readonly heads: HeadFacts[] = [];
  /** What an adapter or operation has to say beyond all this: attributes of the operation's span. */
  notes: Record<string, string | number> | undefined = undefined;

  /** The decision that was refused, else the first one. */
  authorization: AuthorizationFacts | undefined = undefined;
  /** Decisions made: one, as a rule. */
  authorizations = 0;
  /** The last permission was given (or refused). */
  authorized: number | undefined = undefined;

  /** Time in which nothing but the client kept body or answer from moving, milliseconds. */
  clientWaitMs = 0;
  /** Time in which at least one call to a backend had no answer, without what was spent waiting for the client. */
  backendWaitMs = 0;
  #pending = 0;
  #pendingSince = 0;
  #clientWaitBefore = 0;
  #roomTaken = 0;
  #closed = false;

  constructor(trace: TraceFacts = UNTRACED, watch?: CallWatch) {
    this.trace = trace;
    this.watch = watch;
  }

  /** Facts of work that goes on behind the request that caused it. */
  apart(): CallFacts {
    return new CallFacts(this.trace, this.watch?.behind);
  }

  noteAuthorization(action: string, decision: AccessDecision): void {
    this.authorizations += 1;
    this.authorized = performance.now();
    if (this.authorization === undefined || !decision.allowed) this.authorization = { action, ...decision };
  }

  note(name: string, value: string | number): void {
    (this.notes ??= {})[name] = value;
  }

  /** The revision of a head that was read; undefined: there is none. */
  noteHeadRead(name: string, revision: string | undefined): void {
    const head = this.#head(name);
    if (head === undefined || head.before !== undefined || head.after !== undefined) return;
    head.before = revision ?? 'absent';
  }

  /** What the head was that was read first. */
  noteHeadKind(name: string, kind: string): void {
    const head = this.heads.find((known) => known.name === name);
    if (head?.before !== undefined) head.kind ??= kind;
  }

  /** The revision of a head that was written; undefined: it was removed. */
  noteHeadWritten(name: string, revision: string | undefined): void {
    const head = this.#head(name);
    if (head !== undefined) head.after = revision ?? 'removed';
  }

  /** A call is about to be sent. */
  callBegan(record: BackendCallFacts): void {
    this.backendCalls += 1;
    if (record.attempt > 1) this.backendRetries += 1;
    if (this.#pending === 0) {
      this.#pendingSince = record.started;
      this.#clientWaitBefore = this.clientWaitMs;
    }
    this.#pending += 1;
    if (this.#closed || this.backend.length >= MAX_CALLS_KEPT) return;
    const bytes = RECORD_BYTES + (record.path?.length ?? 0);
    if (this.watch?.takeRoom(bytes) === false) return;
    this.#roomTaken += bytes;
    this.backend.push(record);
  }

  /** Its answer has begun, or will never come; `record` says which. */
  callEnded(record: BackendCallFacts): void {
    if (record.outcome === 'throttled') this.backendThrottles += 1;
    this.#pending -= 1;
    if (this.#pending === 0 && record.ended !== undefined) {
      const forClient = this.clientWaitMs - this.#clientWaitBefore;
      this.backendWaitMs += Math.max(0, record.ended - this.#pendingSince - forClient);
    }
    this.watch?.callEnded(record);
  }

  /** A call brought nothing. @param since `performance.now()` from when on it was waited for */
  waitedInVain(since: number): void {
    const now = performance.now();
    this.vainMs += Math.max(0, now - Math.max(since, this.#vainUntil));
    this.#vainUntil = now;
  }

  /** The request has ended: whoever keeps the facts accounts for them himself. Later calls are counted only. */
  giveRoomBack(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.watch?.giveRoomBack(this.backend.length, this.#roomTaken);
  }

  #head(name: string): HeadFacts | undefined {
    const known = this.heads.find((head) => head.name === name);
    if (known !== undefined || this.heads.length >= MAX_HEADS_KEPT) return known;
    const head: HeadFacts = { name, before: undefined, kind: undefined, after: undefined };
    this.heads.push(head);
    return head;
  }
}

/** About what the facts of one call take in memory besides its path. */
const RECORD_BYTES = 300;

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

  constructor(head: RequestHead, watch?: CallWatch) {
    super(head.trace, watch);
    this.head = head;
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

/**
 * What stands behind all calls of a process: observers of backends, and bounded room for facts of requests under way.
 */
export interface CallWatch {
  /** False: no room, the facts of this call are not kept. */
  takeRoom(bytes: number): boolean;
  giveRoomBack(calls: number, bytes: number): void;
  callEnded(call: BackendCallFacts): void;
  /** The same for work that no request waits for: nothing of it is kept. */
  readonly behind: CallWatch;
}
