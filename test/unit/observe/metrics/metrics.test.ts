import { spawnSync } from 'node:child_process';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { beforeEach, describe, expect, test } from 'vitest';
import { ERROR_TABLE, type S3ErrorCode } from '../../../../src/errors/error-table.ts';
import { S3Error } from '../../../../src/errors/s3-error.ts';
import { QuotaScope } from '../../../../src/manifest/usage/quota-scope.ts';
import { quotaReadings } from '../../../../src/main/quotas.ts';
import { LifecycleTotals } from '../../../../src/main/sweep/lifecycle-metrics.ts';
import { type Metrics, startMetrics } from '../../../../src/main/telemetry/metrics.ts';
import { accessLogReadings, laneReadings, settleReadings } from '../../../../src/main/telemetry/readings.ts';
import { INSTRUMENTS, shownName } from '../../../../src/observe/metrics/instruments.ts';
import { observe, processReadings, type Readings } from '../../../../src/observe/metrics/process-metrics.ts';
import { RequestMetrics } from '../../../../src/observe/metrics/request-metrics.ts';
import { OPERATION_TABLE } from '../../../../src/protocol/operation-table.ts';
import type { BackendCallFacts } from '../../../../src/observe/call-facts.ts';
import { findDebianProgram } from '../../../helm/tools/debian.ts';
import { parseMetrics, type Sample } from '../../../support/observe/prometheus-text.ts';
import { endedFacts } from '../../../support/observe/ended-facts.ts';

let metrics: Metrics;
let requests: RequestMetrics;

beforeEach(() => {
  metrics = startMetrics(resourceFromAttributes({ 'service.name': 'test' }));
  requests = new RequestMetrics(metrics.meter);
});

async function samples(): Promise<readonly Sample[]> {
  return parseMetrics(await metrics.render());
}

/** Value of the one series of this name and these labels. */
async function value(name: string, labels: Readonly<Record<string, string>>): Promise<number | undefined> {
  return (await samples()).find(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, wanted]) => sample.labels[label] === wanted),
  )?.value;
}

const LANE = {
  lane: 'calls',
  places: 4,
  inUse: 3,
  waiting: 2,
  holders: [
    { holder: 'a', inUse: 1, waiting: 2 },
    { holder: 'b', inUse: 1, waiting: 0 },
  ],
} as const;
const CALL: BackendCallFacts = {
  system: 'azure',
  operation: 'read',
  method: 'GET',
  path: '/photos/cat.jpg',
  spanId: undefined,
  attempt: 1,
  started: 1000,
  bytesSent: 0,
  ended: 1030,
  status: 200,
  bytesReceived: 0,
  backendRequestId: undefined,
  outcome: 'ok',
  failure: undefined,
};

describe('what requests come to', () => {
  test('counts, bytes and times by operation', async () => {
    const facts = endedFacts({ operation: 'GetObject' });
    facts.bytesOut = 500;
    requests.ended(facts);
    requests.ended(endedFacts({ operation: 'GetObject' }));
    expect(await value('s3gw_requests_total', { operation: 'GetObject', status: '200' })).toBe(2);
    expect(await value('s3gw_sent_bytes_total', { operation: 'GetObject' })).toBe(500);
    expect(
      await value('s3gw_request_duration_seconds_bucket', { operation: 'GetObject', result: 'ok', le: '0.1' }),
    ).toBe(2);
    expect(
      await value('s3gw_request_duration_seconds_bucket', { operation: 'GetObject', result: 'ok', le: '0.05' }),
    ).toBe(0);
    expect(await value('s3gw_time_to_first_byte_seconds_sum', { operation: 'GetObject' })).toBeCloseTo(0.014, 6);
  });

  test('errors by code, refused senders by reason, conditions that did not hold', async () => {
    const failed = (code: 'SignatureDoesNotMatch' | 'PreconditionFailed'): void => {
      const failure = new S3Error(code);
      const facts = endedFacts({ operation: 'PutObject', status: failure.status });
      facts.failure = failure;
      if (code === 'SignatureDoesNotMatch') {
        facts.auth = { method: undefined, identity: undefined, failure, signature: undefined };
      }
      requests.ended(facts);
    };
    failed('SignatureDoesNotMatch');
    failed('PreconditionFailed');
    expect(await value('s3gw_errors_total', { operation: 'PutObject', code: 'SignatureDoesNotMatch' })).toBe(1);
    expect(await value('s3gw_auth_failures_total', { reason: 'SignatureDoesNotMatch' })).toBe(1);
    expect(await value('s3gw_auth_failures_total', { reason: 'PreconditionFailed' })).toBeUndefined();
    expect(
      await value('s3gw_conditional_conflicts_total', { operation: 'PutObject', code: 'PreconditionFailed' }),
    ).toBe(1);
    expect(await value('s3gw_request_duration_seconds_count', { operation: 'PutObject', result: '4xx' })).toBe(2);
  });

  test('a client that leaves is counted as such, not as the status it never saw', async () => {
    const facts = endedFacts({ operation: 'GetObject' });
    facts.clientLeft = true;
    facts.firstByte = undefined;
    requests.ended(facts);
    expect(await value('s3gw_requests_total', { status: 'none' })).toBe(1);
    expect(await value('s3gw_clients_left_total', { operation: 'GetObject' })).toBe(1);
  });

  test('calls to backends: outcome, time, repetitions, "later"', async () => {
    requests.backendCall(CALL);
    requests.backendCall({ ...CALL, attempt: 2, outcome: 'throttled' });
    requests.backendCall({ ...CALL, outcome: 'denied' });
    requests.denied({ ...CALL, code: undefined });
    expect(await value('s3gw_backend_denials_total', { backend: 'azure', call: 'read' })).toBe(1);
    expect(await value('s3gw_backend_calls_total', { backend: 'azure', call: 'read', result: 'ok' })).toBe(1);
    expect(await value('s3gw_backend_calls_total', { result: 'throttled' })).toBe(1);
    expect(await value('s3gw_backend_call_duration_seconds_count', { backend: 'azure', call: 'read' })).toBe(3);
    expect(await value('s3gw_backend_retries_total', { call: 'read' })).toBe(1);
    expect(await value('s3gw_backend_throttles_total', { backend: 'azure' })).toBe(1);
  });
});

describe('labels', () => {
  test('every error of every operation has a series of its own, however many strangers provoke', async () => {
    const codes = Object.keys(ERROR_TABLE) as S3ErrorCode[];
    for (const code of codes) {
      const failure = new S3Error(code);
      for (const { name: operation } of OPERATION_TABLE) {
        requests.ended(Object.assign(endedFacts({ operation }), { failure }));
      }
    }
    const errors = (await samples()).filter(({ name }) => name === 's3gw_errors_total');
    expect(errors).toHaveLength(OPERATION_TABLE.length * codes.length);
    expect(errors.every(({ value: count, labels }) => count === 1 && labels['code'] !== undefined)).toBe(true);
  });

  test('take no value from what clients send: a flood of names adds no series', async () => {
    requests.ended(endedFacts());
    const before = (await samples()).length;
    for (let i = 0; i < 500; i += 1) {
      requests.ended(
        endedFacts({
          bucket: `bucket-${i}`,
          key: `key "${i}"\n`,
          head: { target: `/bucket-${i}/${i}?q=${i}`, method: `M${i}`, rawHeaders: ['Host', `h${i}`] },
        }),
      );
    }
    expect((await samples()).length).toBe(before);
  });

  test('are those of the table, each instrument of which is there', async () => {
    const facts = endedFacts({ operation: 'PutObject', status: 412 });
    facts.failure = new S3Error('PreconditionFailed');
    facts.auth = { method: undefined, identity: undefined, failure: facts.failure, signature: undefined };
    facts.clientLeft = true;
    requests.ended(facts);
    requests.backendCall({ ...CALL, attempt: 2, outcome: 'throttled' });
    requests.denied({ ...CALL, code: 'whatever the service says' });
    requests.backendCall({ ...CALL, outcome: 'denied' });
    const ofProcess = processReadings();
    observe(metrics.meter, {
      ...ofProcess.readings,
      ...accessLogReadings({
        counts: { delivered: 5, noRoom: 1, refused: 0, failed: 2 },
        waitingBytes: 7,
        failing: 1,
      }),
      ...lifecycleReadings(),
      ...quotaReadings({ scopes: [scopeOfBucket()] }),
      ...settleReadings(() => ({ queued: 3, running: 1, dropped: 0, failed: 2 })),
      ...laneReadings([
        { name: 'main', surveyed: { lanes: () => [LANE] } },
        { name: 'other', surveyed: undefined },
      ]),
      s3gw_in_flight_bytes: () => [[1]],
      s3gw_requests_in_flight: () => [[1]],
      s3gw_call_facts_without_room: () => [[0]],
      s3gw_clock_skew_seconds: () => [[0.5, { backend: 'main' }]],
      s3gw_connections: () => [[3]],
      s3gw_connection_memory_bytes: () => [[3000]],
      s3gw_connection_memory_limit_bytes: () => [[4000]],
      s3gw_connection_memory_refusals: () => [[2]],
      s3gw_rate_limited: () => [[1, { scope: 'user', limit: 'requests' }]],
      s3gw_copies_streamed: () => [[1, { backend: 'main' }]],
      s3gw_copy_sources_refused: () => [[1, { backend: 'main' }]],
      s3gw_events: () => [[1, { outcome: 'delivered' }]],
      s3gw_event_failures: () => [[1]],
      s3gw_events_behind: () => [[1]],
      s3gw_events_behind_seconds: () => [[1]],
      s3gw_part_digests_said: () => [[1, { backend: 'main' }]],
      s3gw_usage_bytes: () => [[1, { ...COUNTED, storage_class: 'STANDARD', state: 'current' }]],
      s3gw_usage_objects: () => [[1, { ...COUNTED, storage_class: '', state: 'marker' }]],
      s3gw_usage_counted_timestamp_seconds: () => [[1, COUNTED]],
      s3gw_usage_buckets_left_out: () => [[0]],
      s3gw_admin_changes: () => [[1, { endpoint: 'putUser', outcome: 'done' }]],
      s3gw_managed_accounts_age_seconds: () => [[1]],
      s3gw_managed_accounts_left_out: () => [[1]],
    });
    const found = await samples();
    ofProcess.close();
    for (const [name, declaration] of Object.entries(INSTRUMENTS)) {
      const shown = shownName(name, declaration);
      const own = found.filter((sample) => sample.name === shown || sample.name === `${shown}_count`);
      expect(own.length, shown).toBeGreaterThan(0);
      for (const { labels } of own) expect(Object.keys(labels).sort(), shown).toEqual([...declaration.labels].sort());
    }
    const known = new Set(Object.entries(INSTRUMENTS).map(([name, declaration]) => shownName(name, declaration)));
    expect(
      found
        .map(({ name }) => name.replace(/_(?:bucket|sum|count)$/, ''))
        .filter((name) => !known.has(name) && name !== 'target_info'),
    ).toEqual([]);
    expect(found.find(({ name, labels }) => name === 's3gw_settle_tasks' && labels['state'] === 'queued')?.value).toBe(
      3,
    );
  });
});

describe('text', () => {
  test('label values are escaped', async () => {
    requests.backendCall({ ...CALL, outcome: 'a "quoted"\\ \n line' });
    expect(await value('s3gw_backend_calls_total', { result: 'a "quoted"\\ \n line' })).toBe(1);
  });

  test('promtool finds nothing wrong', async (context) => {
    const promtool = await findDebianProgram('promtool').catch((error: unknown) => {
      if (process.env['CI'] === 'true') throw error;
      return context.skip('no promtool: the text is read by the parser of these tests only');
    });
    const ofProcess = processReadings();
    observe(metrics.meter, ofProcess.readings);
    requests.ended(endedFacts({ operation: 'GetObject' }));
    requests.backendCall(CALL);
    const { status, stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], {
      input: await metrics.render(),
      encoding: 'utf8',
    });
    ofProcess.close();
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  });
});

const COUNTED = { backend: 'main', account: 'team', bucket: 'photos' };

/** A quota by which a write was judged. */
function scopeOfBucket(): QuotaScope {
  const scope = new QuotaScope({ kind: 'bucket', name: 'photos' });
  scope.quota = { bytes: 10, objects: 1 };
  scope.renew({ bytes: 5, objects: 1, countedAt: 1000, isStale: false });
  return scope;
}

/** Those of a lifecycle command after a pass that left something of one rule. */
function lifecycleReadings(): Readings {
  const totals = new LifecycleTotals();
  const at = new Date(0).toISOString();
  const counts = { lookedAt: 3, due: 2, done: 1, locked: 1, changed: 0, unmovable: 0, failed: 0, oldestDue: at };
  const bucket = { name: 'photos', backend: 'main', complete: true, rules: { 'rule-1': counts } };
  totals.add({
    ...{ startedAt: at, finishedAt: at, dryRun: false, complete: true, problems: [] },
    buckets: [{ ...bucket, warnings: [], problems: [], moreProblems: 0 }],
  });
  return totals.readings();
}
