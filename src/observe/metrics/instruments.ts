/**
 * How an instrument is declared; the table below is the one list of what is measured, and docs/observability.md is made
 * from it.
 */
export interface InstrumentDeclaration {
  readonly kind: 'counter' | 'histogram' | 'gauge' | 'observedCounter';
  /** As in UCUM; absent: things are counted. */
  readonly unit?: 's' | 'By';
  readonly help: string;
  /** Names of labels; each takes few values, whatever clients send. */
  readonly labels: readonly string[];
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
}

/** Seconds: small objects take a few milliseconds, large ones minutes. */
const DURATIONS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 600];
const WAITS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Names are Prometheus's, which adds `_total` to counters. Labels: `operation` is a row of the operation table or
 * `Unknown`, `status` an HTTP status, `code` and `reason` S3 error codes, `backend` the kind of backend, `call` a
 * method of the port. `result` is `ok` or why not: a class of statuses of a request, a kind of store error of a call.
 * `outcome` is what became of a record, event or change. Buckets and keys are on spans only, but for what an operator
 * asks for by quotas and `usageMetrics`. A lifecycle command has some of its own, by bucket and rule. All these are
 * bounded in number.
 */
export const INSTRUMENTS = {
  s3gw_requests: {
    kind: 'counter',
    help: 'Requests answered, or given up by their clients.',
    labels: ['operation', 'status'],
  },
  s3gw_request_duration_seconds: {
    kind: 'histogram',
    unit: 's',
    labels: ['operation', 'result'],
    buckets: DURATIONS,
    help: 'From the head of a request to the end of its answer.',
  },
  s3gw_time_to_first_byte_seconds: {
    kind: 'histogram',
    unit: 's',
    labels: ['operation'],
    buckets: WAITS,
    help: 'From the head of a request to the head of its answer.',
  },
  s3gw_received_bytes: {
    kind: 'counter',
    unit: 'By',
    help: 'Bytes of bodies received from clients.',
    labels: ['operation'],
  },
  s3gw_sent_bytes: {
    kind: 'counter',
    unit: 'By',
    help: 'Bytes sent to clients, heads included.',
    labels: ['operation'],
  },
  s3gw_in_flight_bytes: {
    kind: 'gauge',
    unit: 'By',
    help: 'Bodies of requests under way and of their answers, as far as their size is announced.',
    labels: [],
  },
  s3gw_requests_in_flight: { kind: 'gauge', help: 'Requests under way.', labels: [] },
  s3gw_connections: { kind: 'gauge', help: 'Connections of S3 clients that are open.', labels: [] },
  s3gw_connection_memory_bytes: {
    kind: 'gauge',
    unit: 'By',
    help: 'Memory that connections count for, with the unsigned data on them: half heads and forms, requests that wait.',
    labels: [],
  },
  s3gw_connection_memory_limit_bytes: {
    kind: 'gauge',
    unit: 'By',
    help: 'The most of it.',
    labels: [],
  },
  s3gw_connection_memory_refusals: {
    kind: 'observedCounter',
    help: 'Connections and requests that ended because that memory was full.',
    labels: [],
  },
  s3gw_errors: {
    kind: 'counter',
    help: 'S3 errors answered, also those within an answer of status 200.',
    labels: ['operation', 'code'],
  },
  s3gw_auth_failures: { kind: 'counter', help: 'Requests whose sender could not be verified.', labels: ['reason'] },
  s3gw_clients_left: {
    kind: 'counter',
    help: 'Requests whose client closed the connection before the answer was complete.',
    labels: ['operation'],
  },
  s3gw_conditional_conflicts: {
    kind: 'counter',
    labels: ['operation', 'code'],
    help: 'Conditions of clients that did not hold, and changes that met another one.',
  },
  s3gw_backend_calls: {
    kind: 'counter',
    help: 'Calls to backends, each attempt by itself.',
    labels: ['backend', 'call', 'result'],
  },
  s3gw_backend_call_duration_seconds: {
    kind: 'histogram',
    unit: 's',
    labels: ['backend', 'call'],
    buckets: WAITS,
    help: "From sending a call to the head of the backend's answer.",
  },
  s3gw_backend_retries: {
    kind: 'counter',
    help: 'Calls to backends that repeat a failed one.',
    labels: ['backend', 'call'],
  },
  s3gw_backend_throttles: {
    kind: 'counter',
    help: 'Calls that a backend asked to be made later.',
    labels: ['backend'],
  },
  s3gw_backend_connections: {
    kind: 'gauge',
    help: 'Requests that have a place among the connections to a backend, in the lane of calls, large answers (downloads), streamed bodies (uploads), or pieces for slow clients.',
    labels: ['backend', 'lane'],
  },
  s3gw_backend_connections_awaited: {
    kind: 'gauge',
    help: 'Requests that wait for such a place.',
    labels: ['backend', 'lane'],
  },
  s3gw_backend_connections_of_one: {
    kind: 'gauge',
    help: 'The most such places that one account has at one address.',
    labels: ['backend', 'lane'],
  },
  s3gw_backend_denials: {
    kind: 'counter',
    help: "Calls, and parts of batches, that a backend denied to the gateway's own identity: it lacks a permission, or a policy or hold protects the blob. Not those that ask for names that clients try (headContainer).",
    labels: ['backend', 'call'],
  },
  s3gw_clock_skew_seconds: {
    kind: 'gauge',
    unit: 's',
    help: "How far the clock of this machine is ahead of the backend's for certain; negative: behind.",
    labels: ['backend'],
  },
  s3gw_copies_streamed: {
    kind: 'observedCounter',
    help: 'Copies inside a backend whose bytes passed through here, because it may not read their sources by URL.',
    labels: ['backend'],
  },
  s3gw_copy_sources_refused: {
    kind: 'gauge',
    help: '1 while it is remembered that a backend may not read sources of copies by URL.',
    labels: ['backend'],
  },
  s3gw_part_digests_said: {
    kind: 'gauge',
    help: '1 while a backend is known to say the MD5 of parts, which are not hashed here then.',
    labels: ['backend'],
  },
  s3gw_call_facts_without_room: {
    kind: 'observedCounter',
    help: 'Calls to backends that no trace shows: too many were waiting for their requests to end.',
    labels: [],
  },
  s3gw_access_log_records: {
    kind: 'observedCounter',
    help: 'Records of server access logs by what became of them: delivered; dropped for want of memory, since the target refused them, or since the backend failed too often.',
    labels: ['outcome'],
  },
  s3gw_access_log_waiting_bytes: {
    kind: 'gauge',
    unit: 'By',
    help: 'Memory for records of server access logs that are not written yet.',
    labels: [],
  },
  s3gw_access_log_objects_failing: {
    kind: 'gauge',
    help: 'Log objects whose write failed and is to be tried again.',
    labels: [],
  },
  s3gw_settle_tasks: {
    kind: 'gauge',
    help: 'Work behind answers, moving the bytes of multipart objects above all: waiting and under way.',
    labels: ['state'],
  },
  s3gw_left_to_sweeper: {
    kind: 'observedCounter',
    help: 'Work behind answers that failed or found no room, which is left to the next sweep.',
    labels: ['reason'],
  },
  s3gw_lifecycle_looked_at: {
    kind: 'observedCounter',
    help: 'Lifecycle command: versions and uploads that the filter of a rule lets through, tags not asked for.',
    labels: ['backend', 'bucket', 'rule'],
  },
  s3gw_lifecycle_due: {
    kind: 'observedCounter',
    help: 'Of those, what the rule had to be carried out on.',
    labels: ['backend', 'bucket', 'rule'],
  },
  s3gw_lifecycle_outcomes: {
    kind: 'observedCounter',
    help: 'What became of it: done, or why not.',
    labels: ['backend', 'bucket', 'rule', 'outcome'],
  },
  s3gw_lifecycle_oldest_due_timestamp_seconds: {
    kind: 'gauge',
    unit: 's',
    help: 'Since when the oldest of what the last pass left has been due; absent: it left nothing.',
    labels: ['backend', 'bucket', 'rule'],
  },
  s3gw_lifecycle_last_run_timestamp_seconds: {
    kind: 'gauge',
    unit: 's',
    help: 'When the last run of the lifecycle command ended that came to its end.',
    labels: [],
  },
  s3gw_lifecycle_rules_without_room: {
    kind: 'gauge',
    help: 'Lifecycle rules that are not told apart here, because there are too many.',
    labels: [],
  },
  s3gw_events: {
    kind: 'observedCounter',
    help: 'Events of buckets: delivered, dropped (too old, or too many waited), withdrawn (no configuration asks for them any more), or unresolved (it could not be told in a day whether the change was made; those of failed requests are among them).',
    labels: ['outcome'],
  },
  s3gw_event_failures: {
    kind: 'observedCounter',
    help: 'Messages with events that their receiver did not take; they are sent again.',
    labels: [],
  },
  s3gw_events_behind: {
    kind: 'gauge',
    help: 'Events that wait for receivers, in the buckets whose events this process has sent last.',
    labels: [],
  },
  s3gw_events_behind_seconds: {
    kind: 'gauge',
    unit: 's',
    help: 'Age of the oldest of them.',
    labels: [],
  },
  s3gw_rate_limited: {
    kind: 'observedCounter',
    help: 'Requests that a configured limit of rates told to come later.',
    labels: ['scope', 'limit'],
  },
  s3gw_quota_used: {
    kind: 'gauge',
    help: 'What is used of quotas by which this process has judged: bytes or objects (`of`), by the last count and what was written since.',
    labels: ['kind', 'name', 'of'],
  },
  s3gw_quota_limit: { kind: 'gauge', help: 'The quotas.', labels: ['kind', 'name', 'of'] },
  s3gw_quota_used_ratio: {
    kind: 'gauge',
    help: 'Share of the quota that is used, of that limit which is nearest; 0.8: time for a warning, 1: writes are refused.',
    labels: ['kind', 'name'],
  },
  s3gw_quota_refused: {
    kind: 'observedCounter',
    help: 'Writes that were answered QuotaExceeded.',
    labels: ['kind', 'name'],
  },
  s3gw_quota_unjudged: {
    kind: 'observedCounter',
    help: 'Writes that passed because every count that the quota goes by began longer than `quotas.maxAgeMs` ago.',
    labels: ['kind', 'name'],
  },
  s3gw_quota_counted_timestamp_seconds: {
    kind: 'gauge',
    unit: 's',
    help: 'When the oldest count of the buckets began that a quota is about, since 1970; absent: nothing has been counted yet.',
    labels: ['kind', 'name'],
  },
  s3gw_usage_bytes: {
    kind: 'gauge',
    unit: 'By',
    help: 'Bytes that the last count has found: `state` is current, noncurrent or upload (parts of open uploads). Only with `admin.usageMetrics`.',
    labels: ['backend', 'account', 'bucket', 'storage_class', 'state'],
  },
  s3gw_usage_objects: {
    kind: 'gauge',
    help: 'What the last count has found: current and noncurrent versions, markers, uploads, parts.',
    labels: ['backend', 'account', 'bucket', 'storage_class', 'state'],
  },
  s3gw_usage_counted_timestamp_seconds: {
    kind: 'gauge',
    unit: 's',
    help: 'When that count began, since 1970.',
    labels: ['backend', 'account', 'bucket'],
  },
  s3gw_usage_buckets_left_out: {
    kind: 'gauge',
    help: 'Buckets, the smallest, of which these metrics say nothing.',
    labels: [],
  },
  s3gw_admin_changes: {
    kind: 'observedCounter',
    help: 'Changes that callers of the admin API have asked for: done, refused (nothing was changed), denied (the token did not suffice; then without endpoint), failed. Only with `admin.manage`.',
    labels: ['endpoint', 'outcome'],
  },
  s3gw_managed_accounts_age_seconds: {
    kind: 'gauge',
    unit: 's',
    help: 'How long ago this process last knew that it goes by the newest managed accounts; above half a minute: it cannot follow them. Only with `managedAccounts`.',
    labels: [],
  },
  s3gw_managed_accounts_left_out: {
    kind: 'gauge',
    help: "Users, keys, policies and accounts of the admin API that are not in force, as they do not fit the operator's own files; the log names them. Only with `managedAccounts`.",
    labels: [],
  },
  s3gw_event_loop_delay_seconds: {
    kind: 'gauge',
    unit: 's',
    help: 'Lateness of timers since the last look.',
    labels: ['percentile'],
  },
  s3gw_event_loop_utilization_ratio: {
    kind: 'gauge',
    help: 'Share of time since the last look in which the event loop was busy.',
    labels: [],
  },
  process_cpu_seconds: {
    kind: 'observedCounter',
    unit: 's',
    help: 'User and system CPU time of the process.',
    labels: [],
  },
  process_resident_memory_bytes: { kind: 'gauge', unit: 'By', help: 'Resident memory of the process.', labels: [] },
  process_start_time_seconds: { kind: 'gauge', unit: 's', help: 'When the process started, since 1970.', labels: [] },
  nodejs_heap_used_bytes: { kind: 'gauge', unit: 'By', help: 'Heap in use.', labels: [] },
  nodejs_external_memory_bytes: {
    kind: 'gauge',
    unit: 'By',
    help: 'Memory outside the heap that objects in it hold, buffers above all.',
    labels: [],
  },
} as const satisfies Readonly<Record<string, InstrumentDeclaration>>;

export type InstrumentName = keyof typeof INSTRUMENTS;

/** Name as Prometheus shows it. */
export function shownName(name: string, { kind }: InstrumentDeclaration): string {
  return kind === 'counter' || kind === 'observedCounter' ? `${name}_total` : name;
}
