import type { AccessReasons } from '../../observe/access-facts.ts';
import type { MergedOverview } from '../overview/contract.ts';
import type { PartOf } from './field-table.ts';
import type {
  AUTHORIZATION_FIELDS,
  AUTH_FIELDS,
  BODY_FIELDS,
  CALL_FIELDS,
  ShownFailure,
  REQUEST_FIELDS,
  SignatureReport,
} from './request-fields.ts';

export type * from './object-contract.ts';
export type * from './bucket-contract.ts';
export type * from '../overview/contract.ts';
export type { AccessReasons, StatementFacts } from '../../observe/access-facts.ts';
export type { ShownHint } from './request-fields.ts';

/**
 * What the inspector's API says, as types: the page, the terminal view and the other replicas read it. It imports
 * nothing but types, so that code for browsers can import it. Fields that the API takes over from a request as they are
 * are rows of the tables in `request-fields.ts` (`PartOf`); the others stand here, and `render-request.ts` works them
 * out. All times are milliseconds, bare ones since the epoch and `...Ms` durations; sizes are bytes. Credentials never
 * appear: where one stood there is its length and a piece of its SHA-256.
 *
 * | Route | Answer |
 * |---|---|
 * | `GET /api/replicas` | `ReplicaList` |
 * | `GET /api/requests` | `RequestList`, newest first |
 * | `GET /api/requests/stream` | server-sent events, see `StreamEvents` |
 * | `GET /api/requests/:id` | `RequestDetail` |
 * | `GET /api/requests/:id/bundle` | `SupportBundle`, as a download |
 * | `GET /api/requests.har` | HTTP Archive 1.2 of what the filter lets through, as a download |
 * | `GET /api/timeline?bucket=&key=`, `?uploadId=` | `Timeline` |
 * | `GET /api/objects/:bucket?key=` | `ObjectInspection`. The key is a parameter: a path would fold `..` and `//` |
 * | `GET /api/buckets?prefix=&after=` | `BucketList` |
 * | `GET /api/buckets/:bucket/keys?prefix=&delimiter=&versions=&after=` | `KeyList` |
 * | `GET /api/overview?window=` | `Overview` of the last `hour` or `day` |
 * | `GET /api/replicas/:replica/<route without /api>` | the same of another replica |
 *
 * With `scope=all` lists, stream, archive and timeline cover all replicas, merged by the one that is asked; without it,
 * only that one; `limit` says how many entries of a list (200 unless named, at most 1,000), `recent` how many kept
 * requests a stream begins with, `rate` of how many a second it tells at most; `scope=replica` is between them: the
 * process that is asked and the workers beside it. So a page has one connection, however many replicas there are.
 * Nobody builds the path of one request: each summary names it (`href`), whichever replica keeps it. Failures are
 * `ApiError` with a status of 4xx or 5xx.
 */
export interface ApiError {
  readonly error: string;
}

/**
 * Query parameters of lists, stream, archive. All given ones must hold. Text is compared without case, except keys and
 * ids.
 */
export interface RequestFilter {
  /** Names of operations, parted by commas. */
  readonly operation?: string;
  readonly bucket?: string;
  /** What the key begins with. */
  readonly prefix?: string;
  /** The whole key. */
  readonly key?: string;
  /** Statuses and classes, parted by commas: `404,5xx`. */
  readonly status?: string;
  /** S3 error codes, parted by commas. */
  readonly code?: string;
  /** Access key id, account or user; `anonymous` for none. */
  readonly identity?: string;
  /** `true`: slower than the journal's own threshold; a number: this many milliseconds or more. */
  readonly slow?: string;
  /** `true`: failures only: a status from 400 on, or no whole answer. */
  readonly errors?: string;
  readonly requestId?: string;
  readonly traceId?: string;
  readonly uploadId?: string;
  /** Milliseconds since the epoch: requests that came at this time or later; or before this time. */
  readonly since?: string;
  readonly before?: string;
}

/** `running`: not answered yet. `aborted`: the client left, or the answer broke off. */
export type Outcome = 'running' | 'ok' | 'clientError' | 'serverError' | 'aborted';

export interface RequestSummary extends PartOf<typeof REQUEST_FIELDS, 'summary'> {
  /** Id of the replica that served it. */
  readonly replica: string;
  /** Path of `RequestDetail` on the server that was asked; `/bundle` behind it is the bundle. */
  readonly href: string;
  readonly outcome: Outcome;
  /**
   * Who: `account`, `account/user`, or the access key id that was claimed in vain. Absent: anonymous, or not known yet.
   */
  readonly identity?: string;
  /** S3 error code. */
  readonly code?: string;
  /** The statement that denied, `policy/statement`; `no statement` where policies were asked and none allows. */
  readonly deniedBy?: string;
  /** So far, while running. */
  readonly durationMs: number;
  /** Took longer than `ReplicaState.slowMs`, without the time in which nothing but the client kept it waiting. */
  readonly slow: boolean;
}

export interface RequestList {
  readonly requests: readonly RequestSummary[];
  /** There are more that fit; ask again with `before` set to the last one's `arrived`. */
  readonly more: boolean;
  /** With `scope=all`: every replica, also those that did not answer. */
  readonly replicas: readonly ReplicaState[];
}

/** One replica, or one worker of it, as the one asked sees it. */
export interface ReplicaState {
  /**
   * Names it in `/api/replicas/:replica/...` and in summaries: as it calls itself; the address of one that never
   * answered.
   */
  readonly id: string;
  /** Where it is reached; absent on the one that was asked, and on workers that only their own replica reaches. */
  readonly address?: string;
  readonly own: boolean;
  readonly up: boolean;
  /** Why it is not up, in a few words. */
  readonly reason?: string;
  /** When its process started. */
  readonly started?: number;
  readonly version?: string;
  /** Requests under way; requests and bytes kept in the journal, and the bound of these. */
  readonly inFlight?: number;
  readonly kept?: number;
  readonly keptBytes?: number;
  readonly maxBytes?: number;
  /** Time from which a request counts as slow. */
  readonly slowMs?: number;
  /** Who uses the connections to the backends. */
  readonly connections?: readonly ConnectionsInUse[];
}

/** One lane of the connections to a backend, with those who have or want most of it. */
export interface ConnectionsInUse {
  readonly backend: string;
  /** `calls`, `downloads`, `uploads` or `pieces`. */
  readonly lane: string;
  readonly places: number;
  readonly inUse: number;
  readonly waiting: number;
  /** `holder` is account and address of a client. */
  readonly holders: readonly { readonly holder: string; readonly inUse: number; readonly waiting: number }[];
}

/** `GET /api/overview?window=hour|day`. */
export interface Overview extends MergedOverview {
  /** With `scope=all`: every replica, also those that did not answer. */
  readonly replicas: readonly ReplicaState[];
}

export interface ReplicaList {
  readonly replicas: readonly ReplicaState[];
  /** Setting `admin.traceUrlTemplate`: `{traceId}` stands for the id. */
  readonly traceUrlTemplate?: string;
}

/**
 * Names of the events of `/api/requests/stream`, and the JSON in their `data`. The `replica` asked tells of itself
 * every 15 s.
 */
export interface StreamEvents {
  /** First, and whenever a replica comes, goes, or changes. */
  readonly replica: ReplicaState;
  /** A request's head came and was understood. Not sent to filters that ask for what is known at the end only. */
  readonly started: RequestSummary;
  readonly finished: RequestSummary;
  /** The reader was too slow for so many events of this replica; they are gone, the requests may still be listed. */
  readonly lost: { readonly replica: string; readonly count: number };
  /** Requests that were left out, as more came than the reader has asked for (`rate`). */
  readonly leftOut: { readonly replica: string; readonly count: number };
}

/** One request, in the order in which a person asks. */
export interface RequestDetail {
  readonly summary: RequestSummary;
  readonly classification: Classification;
  readonly authentication: ShownAuthentication;
  /** The decision that was refused, else the first one. Empty: it did not come to that. */
  readonly authorisation: readonly Decision[];
  readonly backend: BackendWork;
  /** The key's head before and after, as far as this request saw it. */
  readonly head: { readonly before?: HeadRevision; readonly after?: HeadRevision };
  /** When there were several, as in DeleteObjects: the first of them, by name of the blob. */
  readonly heads?: readonly (RequestDetail['head'] & { readonly blob: string })[];
  readonly body: ShownBody;
  readonly times: RequestTimes;
  /** How a failure became the answer. */
  readonly error?: ErrorMapping;
  readonly request: ShownRequestHead;
}

export interface Classification extends PartOf<typeof REQUEST_FIELDS, 'classification'> {
  /** In words: `PUT on an object, with ?partNumber`. */
  readonly why: string;
  readonly level?: 'service' | 'bucket' | 'object' | 'control';
}

export interface ShownAuthentication extends PartOf<typeof AUTH_FIELDS, 'authentication'> {
  /** `none`: the request was refused before it came to that. */
  readonly verdict: 'accepted' | 'anonymous' | 'refused' | 'none';
  readonly failure?: AuthFailure;
}

export interface AuthFailure extends SignatureReport {
  readonly code: string;
  readonly message: string;
}

export interface Decision extends PartOf<typeof AUTHORIZATION_FIELDS, 'decision'> {
  /** Which rule decided, in words: `owner of the bucket`, `ACL grant to everybody`, ... */
  readonly rule: string;
  /** Present when policies were asked. */
  readonly reasons?: AccessReasons;
}

interface BackendWork {
  /** In the order of their start. */
  readonly calls: readonly ShownCall[];
  /** All, those beyond `calls` included. */
  readonly total: number;
  readonly retries: number;
}

export type ShownCall = PartOf<typeof CALL_FIELDS, 'call'>;

/**
 * `kind`: `inline`, `link`, `assembled`, `marker`, `void`; `revision`: the backend's; `absent`: there was none,
 * `removed`: it went.
 */
export interface HeadRevision {
  readonly kind?: string;
  readonly revision?: string;
}

/** Without its fields when no body was read. */
export interface ShownBody extends Partial<PartOf<typeof BODY_FIELDS, 'body'>> {
  readonly checksums: readonly ChecksumFact[];
}

export interface ChecksumFact {
  /** `CRC32`, `SHA256`, `MD5`, ... */
  readonly algorithm: string;
  readonly declared?: string;
  readonly computed?: string;
}

/** Since arrival; absent: it did not come to that. */
type RequestTimes = Partial<PartOf<typeof REQUEST_FIELDS, 'times'>>;

export type ErrorMapping = ShownFailure;

export interface ShownRequestHead extends PartOf<typeof REQUEST_FIELDS, 'request'> {
  /** As sent, in order, names as written, credentials replaced. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The Host header names this gateway, as far as the configuration knows. Anybody can write any host into it. */
  readonly ownHost?: boolean;
}

/** Requests that touched one key or one upload, oldest first. */
export interface Timeline {
  readonly bucket?: string;
  readonly key?: string;
  readonly uploadId?: string;
  readonly entries: readonly TimelineEntry[];
  readonly replicas: readonly ReplicaState[];
}

export interface TimelineEntry {
  readonly request: RequestSummary;
  readonly head: RequestDetail['head'];
}

/** One request for a ticket. */
export interface SupportBundle {
  readonly format: 's3-cloud-gateway-request/1';
  readonly exported: number;
  readonly replica: ReplicaState;
  readonly request: RequestDetail;
  /** What else happened to the key or upload around it. */
  readonly timeline: readonly TimelineEntry[];
}
