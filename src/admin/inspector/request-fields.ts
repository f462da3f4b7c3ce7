import type { AccessRule } from '../../observe/access-facts.ts';
import type { KeptReasons } from '../../observe/packed-reasons.ts';
import type { FieldTable, Form, Kept, NestedForm } from './field-table.ts';

/*
 * The fields of a request in the inspector. From these tables come the entries in the journal's memory and what is read
 * from them (`journal/fields.ts`, which also says where each value comes from), the JSON of the API (`contract.ts`,
 * `render-request.ts`), and what the page shows (`page/web/views/`). To add a field: a row here, and its source in
 * `journal/fields.ts`.
 *
 * Browsers load this file as it is: it imports types only.
 */

const TEXT: Form<string> = { as: 'text' };
const OPTIONAL_TEXT: Form<string | undefined> = { as: 'text', optional: true };
/** One of a few texts of the gateway's own. */
const WORD: Form<string> = { as: 'word' };
const OPTIONAL_WORD: Form<string | undefined> = { as: 'word', optional: true };
/** A text that many requests have alike: kept once for all of them. */
const SHARED_TEXT: Form<string | undefined> = { as: 'shared', optional: true };
const NUMBER: Form<number> = { as: 'number' };
const OPTIONAL_NUMBER: Form<number | undefined> = { as: 'number', optional: true };
/** Milliseconds, to a hundredth. */
const TIME: Form<number> = { as: 'time' };
const OPTIONAL_TIME: Form<number | undefined> = { as: 'time', optional: true };
const FLAG: Form<boolean> = { as: 'flag' };
/** True or absent. */
const MARK: Form<true | undefined> = { as: 'mark', optional: true };

/** One of a few words. */
function oneOf<T extends string>(): Form<T> {
  return { as: 'word' };
}

function optionalOneOf<T extends string>(): Form<T | undefined> {
  return { as: 'word', optional: true };
}

/** What is there seldom, as JSON. */
function json<T extends object>(): Form<T | undefined> {
  return { as: 'json', optional: true };
}

/** What takes lines of its own. */
function nested<T>(): NestedForm<T> {
  return { as: 'nested' };
}

export interface SignatureHint {
  /** Short name of the cause: `changed-host`, `wrong-secret`, ... */
  readonly cause: string;
  /** `proved`: with this change undone the signature fits. */
  readonly certainty: 'proved' | 'likely' | 'possible';
  /** One or two sentences for a person. */
  readonly text: string;
}

/** What this server knows about a signature that it refused. */
export interface SignatureReport {
  /** As this server computed them, credentials replaced; absent when it did not come to that. */
  readonly canonicalRequest?: string;
  readonly stringToSign?: string;
  /** Names, lower-case, of signed headers that proxies commonly add, change or remove. */
  readonly commonlyAltered: readonly string[];
  /** Most certain first; empty when nothing can be said. */
  readonly hints: readonly SignatureHint[];
}

export interface Failure {
  /** S3's error code. */
  readonly code: string;
  /** Of the answer that the code stands for. */
  readonly status?: number | undefined;
  readonly message: string;
  /** From the one next to the answer down to the first. */
  readonly causes: readonly { readonly name: string; readonly message: string }[];
}

export const AUTH_FIELDS = {
  account: { form: SHARED_TEXT, json: ['authentication'], detail: ['identity', 'Account', 'plain'] },
  user: { form: SHARED_TEXT, json: ['authentication'], detail: ['identity', 'User', 'plain'] },
  accessKeyId: { form: SHARED_TEXT, json: ['authentication'], detail: ['identity', 'Access key', 'code'] },
  method: {
    form: optionalOneOf<'header' | 'query' | 'form'>(),
    json: ['authentication'],
    detail: ['identity', 'Signed by', { header: 'Authorization header', query: 'presigned URL', form: 'signed form' }],
  },
  anonymous: { form: MARK },
  failure: { form: json<{ readonly code: string; readonly message: string }>() },
  report: { form: json<SignatureReport>() },
} as const satisfies FieldTable;

export const AUTHORIZATION_FIELDS = {
  /** IAM action that was asked for. */
  action: { form: WORD, json: ['decision'] },
  allowed: { form: FLAG, json: ['decision'] },
  rule: { form: oneOf<AccessRule>() },
  reasons: { form: nested<KeptReasons | undefined>() },
} as const satisfies FieldTable;

/** Of a body, as it was declared or computed: `Digest`. */
export const DIGEST_FIELDS = {
  algorithm: { form: WORD },
  /** Absent: announced for the trailer, which did not come. */
  value: { form: OPTIONAL_TEXT },
} as const satisfies FieldTable;

export const BODY_FIELDS = {
  /** `plain`, or the payload mode of a chunked one: `streaming-signed`, ... */
  framing: { form: WORD, json: ['body'] },
  /** Content-Length. */
  sentBytes: { form: OPTIONAL_NUMBER, json: ['body'], detail: ['body', 'Sent', 'bytes'] },
  /** Payload without framing, as the client declared it. */
  declaredBytes: { form: OPTIONAL_NUMBER, json: ['body'], detail: ['body', 'Declared', 'bytes'] },
  /** Payload without framing, as it came. */
  decodedBytes: { form: NUMBER, json: ['body'], detail: ['body', 'Decoded', 'bytes'] },
  chunks: { form: NUMBER, json: ['body'], detail: ['body', 'Chunks', 'plain'] },
  declared: { form: nested<readonly Kept<typeof DIGEST_FIELDS>[]>() },
  computed: { form: nested<readonly Kept<typeof DIGEST_FIELDS>[]>() },
} as const satisfies FieldTable;

/** A head before and after the request: `HeadFacts`. */
export const HEAD_FIELDS = {
  name: { form: TEXT },
  before: { form: OPTIONAL_TEXT },
  kind: { form: OPTIONAL_WORD },
  after: { form: OPTIONAL_TEXT },
} as const satisfies FieldTable;

/** A call to a backend. */
export const CALL_FIELDS = {
  /** `azure`, `gcs`, `memory`. */
  system: { form: WORD, json: ['call'] },
  /** Of the port: `write`, `head`, ... */
  operation: { form: WORD, json: ['call'] },
  /** HTTP method; absent where there is no HTTP. */
  method: { form: OPTIONAL_WORD, json: ['call'] },
  target: { form: OPTIONAL_TEXT, json: ['call'] },
  attempt: { form: NUMBER, json: ['call'] },
  /** Since the request arrived. */
  startMs: { form: TIME, json: ['call'] },
  /** To the head of the answer; absent when the request ended before. */
  durationMs: { form: OPTIONAL_TIME, json: ['call'] },
  status: { form: OPTIONAL_NUMBER, json: ['call'] },
  outcome: { form: OPTIONAL_WORD, json: ['call'] },
  /** The service's own id of the call. */
  requestId: { form: OPTIONAL_TEXT, json: ['call'] },
  bytesSent: { form: OPTIONAL_NUMBER, json: ['call'] },
  bytesReceived: { form: OPTIONAL_NUMBER, json: ['call'] },
  /** What the client of the backend made of a failure. */
  failure: { form: OPTIONAL_TEXT, json: ['call'] },
} as const satisfies FieldTable;

/** In the order in which they lie in memory: `id` first, because a request is looked for by how its entry begins. */
export const REQUEST_FIELDS = {
  /** `x-amz-request-id`. */
  id: { form: TEXT, json: ['summary'], detail: ['top', 'Request id', 'code'] },
  traceId: { form: TEXT, json: ['summary'], detail: ['top', 'Trace id', 'trace'] },
  /** Milliseconds since the epoch. */
  arrived: { form: NUMBER, json: ['summary'], detail: ['top', 'Arrived', 'date'] },
  method: { form: TEXT, json: ['summary', 'request'] },
  /** Path and query as sent, credentials replaced. */
  target: { form: TEXT, json: ['summary', 'request'] },
  httpVersion: { form: OPTIONAL_WORD, json: ['request'] },
  scheme: { form: OPTIONAL_WORD, json: ['request'] },
  clientAddress: { form: SHARED_TEXT, json: ['request'], detail: ['top', 'Client', 'plain'] },
  /** Name in the operation table. Absent as long as it is not known, or when the target is no operation's. */
  operation: { form: OPTIONAL_WORD, json: ['summary', 'classification'] },
  bucket: { form: OPTIONAL_TEXT, json: ['summary', 'classification'] },
  key: { form: OPTIONAL_TEXT, json: ['summary', 'classification'], detail: ['operation', 'Key', 'code'] },
  versionId: { form: OPTIONAL_TEXT, json: ['summary', 'classification'], detail: ['operation', 'Version', 'code'] },
  uploadId: { form: OPTIONAL_TEXT, json: ['summary', 'classification'], detail: ['operation', 'Upload', 'code'] },
  /** The bucket stood in the Host header. */
  virtualHost: { form: MARK, json: ['classification'] },
  auth: { form: nested<Kept<typeof AUTH_FIELDS> | undefined>() },
  /** The decision that was refused, else the first one. */
  authorization: { form: nested<Kept<typeof AUTHORIZATION_FIELDS> | undefined>() },
  /** Decisions made, `authorization` being the one that counted. */
  authorizations: { form: NUMBER },
  backendRetries: { form: NUMBER },
  body: { form: nested<Kept<typeof BODY_FIELDS> | undefined>() },
  authenticatedMs: { form: OPTIONAL_TIME, json: ['times'], detail: ['time', 'Authenticated', 'since'] },
  authorisedMs: { form: OPTIONAL_TIME, json: ['times'], detail: ['time', 'Authorised', 'since'] },
  /** To the first byte of the answer. */
  firstByteMs: {
    form: OPTIONAL_TIME,
    json: ['summary', 'times'],
    detail: ['time', 'First byte of the answer', 'since'],
  },
  /** Absent: the request still runs. */
  endMs: { form: OPTIONAL_TIME, json: ['times'], detail: ['time', 'End', 'since'] },
  /** Parts of the whole in which nothing but the other side kept the gateway waiting. */
  blockedOnClientMs: { form: TIME, json: ['times'], detail: ['time', 'Blocked on the client', 'duration'] },
  blockedOnBackendMs: { form: TIME, json: ['times'], detail: ['time', 'Blocked on the backend', 'duration'] },
  /** Absent while the request runs, or when there was no answer. */
  status: { form: OPTIONAL_NUMBER, json: ['summary'] },
  failure: { form: json<Failure>() },
  clientLeft: { form: MARK },
  bytesIn: { form: NUMBER, json: ['summary'], column: { label: 'In', classes: 'number size', show: 'bytes' } },
  bytesOut: { form: NUMBER, json: ['summary'], column: { label: 'Out', classes: 'number size', show: 'bytes' } },
  /** Calls to backends, also those that are not kept one by one. */
  backendCalls: {
    form: NUMBER,
    json: ['summary'],
    column: { label: 'Calls', classes: 'number calls', show: 'plain' },
  },
  heads: { form: nested<readonly Kept<typeof HEAD_FIELDS>[]>() },
  backend: { form: nested<readonly Kept<typeof CALL_FIELDS>[]>() },
  /** Names and values in turn, each on a line of its own. */
  headers: { form: nested<string>() },
  /** Headers that did not fit into the journal: written behind them, when it is known. */
  headersOmitted: { form: NUMBER, json: ['request'] },
} as const satisfies FieldTable;
