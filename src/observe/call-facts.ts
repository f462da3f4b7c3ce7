/**
 * The facts that work of any kind has: its place in a trace, its calls to backends, what it did to heads. A request has
 * more of them (`request-facts.ts`, which has the rules for both); background work has these only.
 */

import type { AccessDecision, AuthorizationFacts } from './access-facts.ts';
import type { LoggedAccess } from './access-log/bucket-log.ts';

/** Most calls to backends that are kept with their facts; the rest are counted. */
export const MAX_CALLS_KEPT = 64;
/** Most heads whose revisions are kept: a DeleteObjects changes a thousand. */
const MAX_HEADS_KEPT = 8;
/** About what the facts of one call take in memory besides its path. */
const RECORD_BYTES = 300;

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

/** What a backend denied to the gateway itself: a call, or one of those that a batch carried. */
export interface Denial {
  readonly system: string;
  /** Method of the port. */
  readonly operation: string;
  readonly status: number | undefined;
  /** The service's own word for why. */
  readonly code: string | undefined;
  readonly backendRequestId: string | undefined;
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
  /** Kind of the head that was read: `inline`, `link`, `assembled`, `marker`, `void`. */
  kind: string | undefined;
  /** Revision that this request wrote last; `removed`; undefined: not changed. */
  after: string | undefined;
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
  /** A client waits for what comes of the calls, and will not wait for ever. */
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

  /** Records for the server access logs of buckets; undefined: none of its buckets keeps one. */
  accesses: LoggedAccess[] | undefined = undefined;

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

  /** Whom calls to a backend are for, where connections are shared; empty: the gateway itself. */
  holder(): string {
    return '';
  }

  /** Facts of work that goes on behind the request that caused it. */
  apart(): CallFacts {
    return new CallFacts(this.trace, this.watch?.behind);
  }

  noteAuthorization(action: string, decision: AccessDecision): void {
    this.authorizations += 1;
    this.authorized = performance.now();
    if (this.authorization !== undefined && decision.allowed) return;
    const { allowed, rule, reasons } = decision;
    this.authorization = reasons === undefined ? { action, allowed, rule } : { action, allowed, rule, reasons };
  }

  note(name: string, value: string | number): void {
    (this.notes ??= {})[name] = value;
  }

  noteAccess(access: LoggedAccess): void {
    (this.accesses ??= []).push(access);
  }

  /** The revision of a head that was read; undefined: there is none. */
  noteHeadRead(name: string, revision: string | undefined): void {
    const head = this.#head(name);
    if (head === undefined || head.before !== undefined || head.after !== undefined) return;
    head.before = revision ?? 'absent';
  }

  /** What the head was that was read first. */
  noteHeadKind(name: string, kind: string): void {
    const head = this.#known(name);
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
    if (record.outcome === 'denied') this.denied({ ...record, code: codeOf(record.failure) });
  }

  /** The backend denied the gateway itself what it needs. Also of a part of a call that succeeded as a whole. */
  denied({ system, operation, status, code, backendRequestId }: Denial): void {
    this.watch?.denied({ system, operation, status, code, backendRequestId });
  }

  /** A call brought nothing. @param since `performance.now()` from when on it was waited for */
  waitedInVain(since: number): void {
    const now = performance.now();
    this.vainMs += Math.max(0, now - Math.max(since, this.#vainUntil));
    this.#vainUntil = now;
  }

  /**
   * Called when the request has ended. From then on the keeper of the facts accounts for their memory, and later calls
   * are only counted.
   */
  giveRoomBack(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.watch?.giveRoomBack(this.backend.length, this.#roomTaken);
  }

  #known(name: string): HeadFacts | undefined {
    for (const head of this.heads) if (head.name === name) return head;
    return undefined;
  }

  #head(name: string): HeadFacts | undefined {
    const known = this.#known(name);
    if (known !== undefined || this.heads.length >= MAX_HEADS_KEPT) return known;
    const head: HeadFacts = { name, before: undefined, kind: undefined, after: undefined };
    this.heads.push(head);
    return head;
  }
}

/**
 * What stands behind all calls of a process: observers of backends, and bounded room for facts of requests under way.
 */
export interface CallWatch {
  /** False: no room, the facts of this call are not kept. */
  takeRoom(bytes: number): boolean;
  giveRoomBack(calls: number, bytes: number): void;
  callEnded(call: BackendCallFacts): void;
  denied(denial: Denial): void;
  /** The same for work that no request waits for: nothing of it is kept. */
  readonly behind: CallWatch;
}

/** The service's own word for why. */
function codeOf(failure: Failure | undefined): string | undefined {
  if (failure === undefined || !('detail' in failure)) return undefined;
  const { detail } = failure as { readonly detail?: { readonly code?: unknown } };
  return typeof detail?.code === 'string' ? detail.code : undefined;
}
