/**
 * What came of the requests of the last hour or day, by all processes that were asked. Like the inspector's contract
 * it imports nothing but types. All times are milliseconds.
 */
export interface MergedOverview extends GatheredOverview {
  /** Of all steps together and of each: times of requests, of which the client had no part. `null`: no request. */
  readonly percentiles: {
    readonly all: Readonly<Record<PercentileName, number | null>>;
    readonly steps: Readonly<Record<PercentileName, readonly (number | null)[]>>;
  };
}

export type OverviewWindow = 'hour' | 'day';
export type PercentileName = 'p50' | 'p90' | 'p99';

/** What processes tell each other, and what can be added up. */
export interface GatheredOverview {
  readonly window: OverviewWindow;
  /** Length of a step of the series: a minute in an hour, five in a day. */
  readonly stepMs: number;
  /** When each step begins, oldest first. The last one is not over. */
  readonly times: readonly number[];
  readonly series: Readonly<Record<SeriesName, readonly number[]>>;
  /** Requests of each step by class of their time (`latency-classes.ts`): class and count in turn. */
  readonly latency: readonly (readonly number[])[];
  readonly tables: Readonly<Record<TableName, OverviewTable>>;
  readonly events: EventsOverview;
}

/**
 * `clientErrors`: status 4xx, `serverErrors`: 5xx, `aborted`: no whole answer went out; together the failures. `slow`:
 * took longer than `ReplicaState.slowMs`, without the time spent waiting for the client. `backend...`: calls to the
 * backends, also those that belong to no request; `backendMs`: time to the heads of their answers, added up.
 */
export type SeriesName =
  | 'requests'
  | 'clientErrors'
  | 'serverErrors'
  | 'aborted'
  | 'slow'
  | 'bytesIn'
  | 'bytesOut'
  | 'backendCalls'
  | 'backendRetries'
  | 'backendThrottles'
  | 'backendMs';

/**
 * `refused`: by error code, identity and bucket, failures of status 4xx that clients do not ask for in the course of
 * their work (404, 412, 416). `slow`: slow requests by operation and bucket.
 */
export type TableName = 'operations' | 'buckets' | 'identities' | 'codes' | 'refused' | 'slow';

export interface OverviewTable {
  /** Length of a step of `steps`: a minute in an hour, a quarter of an hour in a day. */
  readonly stepMs: number;
  readonly times: readonly number[];
  /** Most requests first; the row of the others (`name: null`) is the last one. */
  readonly rows: readonly OverviewRow[];
}

export interface OverviewRow {
  /** `null`: all names that are too rare for a row of their own. */
  readonly name: RowName | null;
  readonly requests: number;
  /** Status from 400 on, or no whole answer. */
  readonly failures: number;
  readonly slow: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Time of the requests, without waiting for clients, added up. */
  readonly ownMs: number;
  /** Requests of each step, in the table `codes`. */
  readonly steps?: readonly number[];
}

/**
 * Filters of `/api/requests` that name the row's requests. An empty text: they have none (no bucket; an identity that
 * was not proved).
 */
export type RowName = Readonly<Partial<Record<'operation' | 'bucket' | 'identity' | 'code', string>>>;

/** Events of buckets, since each process started. */
export interface EventsOverview {
  readonly delivered: number;
  /** Messages that a receiver did not take; they are sent again. */
  readonly failed: number;
  /** Given up: too old, or too many waited. */
  readonly dropped: number;
  /** Buckets whose events wait, most events first. */
  readonly behind: readonly BucketBehind[];
}

export interface BucketBehind {
  readonly bucket: string;
  readonly count: number;
  /** When the oldest of them happened. */
  readonly since: number;
}
