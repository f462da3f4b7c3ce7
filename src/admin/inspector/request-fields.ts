import type { HeadFacts } from '../../observe/call-facts.ts';
import type { AccessReasons, AccessRule } from '../../observe/access-facts.ts';
import type { Digest } from '../../observe/request-facts.ts';
import type { ShownFieldTable, Kept, TypeOf } from './field-table.ts';

/*
 * The fields of a request in the inspector. From these tables come the type of what the journal keeps
 * (`journal/keep-request.ts` says where each value comes from), the JSON of the API (`contract.ts`,
 * `render-request.ts`), and what the page shows (`page/web/views/`). To add a field: a row here, and its source in
 * `journal/keep-request.ts`.
 *
 * Browsers load this file as it is: it imports types only.
 */

/** The type of a field's value: the compiler knows it, and at run time it is nothing. */
function of<T>(): TypeOf<T> {
  return {};
}

export interface ShownHint {
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
  readonly hints: readonly ShownHint[];
}

export interface ShownFailure {
  /** S3's error code. */
  readonly code: string;
  /** Of the answer that the code stands for. */
  readonly status?: number | undefined;
  readonly message: string;
  /** From the one next to the answer down to the first. */
  readonly causes: readonly { readonly name: string; readonly message: string }[];
}

export const AUTH_FIELDS = {
  account: { type: of<string | undefined>(), json: ['authentication'], detail: ['identity', 'Account', 'plain'] },
  user: { type: of<string | undefined>(), json: ['authentication'], detail: ['identity', 'User', 'plain'] },
  accessKeyId: { type: of<string | undefined>(), json: ['authentication'], detail: ['identity', 'Access key', 'code'] },
  method: {
    type: of<'header' | 'query' | 'form' | undefined>(),
    json: ['authentication'],
    detail: ['identity', 'Signed by', { header: 'Authorization header', query: 'presigned URL', form: 'signed form' }],
  },
  anonymous: { type: of<true | undefined>() },
  failure: { type: of<{ readonly code: string; readonly message: string } | undefined>() },
  report: { type: of<SignatureReport | undefined>() },
} as const satisfies ShownFieldTable;

export const AUTHORIZATION_FIELDS = {
  /** IAM action that was asked for. */
  action: { type: of<string>(), json: ['decision'] },
  allowed: { type: of<boolean>(), json: ['decision'] },
  rule: { type: of<AccessRule>() },
  reasons: { type: of<AccessReasons | undefined>() },
} as const satisfies ShownFieldTable;

export const BODY_FIELDS = {
  /** `plain`, or the payload mode of a chunked one: `streaming-signed`, ... */
  framing: { type: of<string>(), json: ['body'] },
  /** Content-Length. */
  sentBytes: { type: of<number | undefined>(), json: ['body'], detail: ['body', 'Sent', 'bytes'] },
  /** Payload without framing, as the client declared it. */
  declaredBytes: { type: of<number | undefined>(), json: ['body'], detail: ['body', 'Declared', 'bytes'] },
  /** Payload without framing, as it came. */
  decodedBytes: { type: of<number>(), json: ['body'], detail: ['body', 'Decoded', 'bytes'] },
  chunks: { type: of<number>(), json: ['body'], detail: ['body', 'Chunks', 'plain'] },
  declared: { type: of<readonly Readonly<Digest>[]>() },
  computed: { type: of<readonly Readonly<Digest>[]>() },
} as const satisfies ShownFieldTable;

/** A call to a backend. */
export const CALL_FIELDS = {
  /** `azure`, `gcs`, `memory`. */
  system: { type: of<string>(), json: ['call'] },
  /** Of the port: `write`, `head`, ... */
  operation: { type: of<string>(), json: ['call'] },
  /** HTTP method; absent where there is no HTTP. */
  method: { type: of<string | undefined>(), json: ['call'] },
  target: { type: of<string | undefined>(), json: ['call'] },
  attempt: { type: of<number>(), json: ['call'] },
  /** Since the request arrived. */
  startMs: { type: of<number>(), json: ['call'] },
  /** To the head of the answer; absent when the request ended before. */
  durationMs: { type: of<number | undefined>(), json: ['call'] },
  status: { type: of<number | undefined>(), json: ['call'] },
  outcome: { type: of<string | undefined>(), json: ['call'] },
  /** The service's own id of the call. */
  requestId: { type: of<string | undefined>(), json: ['call'] },
  bytesSent: { type: of<number | undefined>(), json: ['call'] },
  bytesReceived: { type: of<number | undefined>(), json: ['call'] },
  /** What the client of the backend made of a failure. */
  failure: { type: of<string | undefined>(), json: ['call'] },
} as const satisfies ShownFieldTable;

export const REQUEST_FIELDS = {
  /** `x-amz-request-id`. */
  id: { type: of<string>(), json: ['summary'], detail: ['top', 'Request id', 'code'] },
  traceId: { type: of<string>(), json: ['summary'], detail: ['top', 'Trace id', 'trace'] },
  /** Milliseconds since the epoch. */
  arrived: { type: of<number>(), json: ['summary'], detail: ['top', 'Arrived', 'date'] },
  method: { type: of<string>(), json: ['summary', 'request'] },
  /** Path and query as sent, credentials replaced. */
  target: { type: of<string>(), json: ['summary', 'request'] },
  httpVersion: { type: of<string | undefined>(), json: ['request'] },
  scheme: { type: of<string | undefined>(), json: ['request'] },
  clientAddress: { type: of<string | undefined>(), json: ['request'], detail: ['top', 'Client', 'plain'] },
  /** Name in the operation table. Absent as long as it is not known, or when the target is no operation's. */
  operation: { type: of<string | undefined>(), json: ['summary', 'classification'] },
  bucket: { type: of<string | undefined>(), json: ['summary', 'classification'] },
  key: { type: of<string | undefined>(), json: ['summary', 'classification'], detail: ['operation', 'Key', 'code'] },
  versionId: {
    type: of<string | undefined>(),
    json: ['summary', 'classification'],
    detail: ['operation', 'Version', 'code'],
  },
  uploadId: {
    type: of<string | undefined>(),
    json: ['summary', 'classification'],
    detail: ['operation', 'Upload', 'code'],
  },
  /** The bucket stood in the Host header. */
  virtualHost: { type: of<true | undefined>(), json: ['classification'] },
  auth: { type: of<Kept<typeof AUTH_FIELDS> | undefined>() },
  /** The decision that was refused, else the first one. */
  authorization: { type: of<Kept<typeof AUTHORIZATION_FIELDS> | undefined>() },
  /** Decisions made, `authorization` being the one that counted. */
  authorizations: { type: of<number>() },
  backendRetries: { type: of<number>() },
  body: { type: of<Kept<typeof BODY_FIELDS> | undefined>() },
  authenticatedMs: { type: of<number | undefined>(), json: ['times'], detail: ['time', 'Authenticated', 'since'] },
  authorisedMs: { type: of<number | undefined>(), json: ['times'], detail: ['time', 'Authorised', 'since'] },
  /** To the first byte of the answer. */
  firstByteMs: {
    type: of<number | undefined>(),
    json: ['summary', 'times'],
    detail: ['time', 'First byte of the answer', 'since'],
  },
  /** Absent: the request still runs. */
  endMs: { type: of<number | undefined>(), json: ['times'], detail: ['time', 'End', 'since'] },
  /** Parts of the whole in which nothing but the other side kept the gateway waiting. */
  blockedOnClientMs: { type: of<number>(), json: ['times'], detail: ['time', 'Blocked on the client', 'duration'] },
  blockedOnBackendMs: { type: of<number>(), json: ['times'], detail: ['time', 'Blocked on the backend', 'duration'] },
  /** Absent while the request runs, or when there was no answer. */
  status: { type: of<number | undefined>(), json: ['summary'] },
  failure: { type: of<ShownFailure | undefined>() },
  clientLeft: { type: of<true | undefined>() },
  bytesIn: { type: of<number>(), json: ['summary'], column: { label: 'In', classes: 'number size', show: 'bytes' } },
  bytesOut: { type: of<number>(), json: ['summary'], column: { label: 'Out', classes: 'number size', show: 'bytes' } },
  /** Calls to backends, also those that are not kept one by one. */
  backendCalls: {
    type: of<number>(),
    json: ['summary'],
    column: { label: 'Calls', classes: 'number calls', show: 'plain' },
  },
  heads: { type: of<readonly Readonly<HeadFacts>[]>() },
  backend: { type: of<readonly Kept<typeof CALL_FIELDS>[]>() },
  headers: { type: of<readonly (readonly [name: string, value: string])[]>() },
  /** Headers that did not fit into the journal. */
  headersOmitted: { type: of<number>(), json: ['request'] },
} as const satisfies ShownFieldTable;
