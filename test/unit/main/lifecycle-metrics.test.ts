import { expect, test } from 'vitest';
import { LifecycleTotals } from '../../../src/main/sweep/lifecycle-metrics.ts';
import { parseSweepArguments } from '../../../src/main/sweep/sweep-arguments.ts';
import type { LifecycleReport, RuleCount } from '../../../src/manifest/index.ts';

const NONE: RuleCount = { lookedAt: 0, due: 0, done: 0, locked: 0, changed: 0, unmovable: 0, failed: 0 };

function reportOf(
  rules: Readonly<Record<string, Partial<RuleCount>>>,
  more: Partial<LifecycleReport> = {},
): LifecycleReport {
  const counts = Object.entries(rules).map(([id, count]) => [id, { ...NONE, ...count }] as const);
  const said = { complete: true, warnings: [], problems: [], moreProblems: 0 };
  return {
    startedAt: '2026-01-01T00:00:00.000Z',
    finishedAt: '2026-01-01T00:00:10.000Z',
    dryRun: false,
    complete: true,
    buckets: [{ name: 'b', backend: 'main', rules: Object.fromEntries(counts), ...said }],
    problems: [],
    ...more,
  };
}

const LABELS = { backend: 'main', bucket: 'b', rule: 'r' };

test('runs add up by rule; the oldest is that of the last run', () => {
  const totals = new LifecycleTotals();
  totals.add(reportOf({ r: { lookedAt: 5, due: 3, done: 1, locked: 2, oldestDue: '1970-01-01T00:00:09.000Z' } }));
  totals.add(reportOf({ r: { lookedAt: 4, due: 2, done: 2 } }));
  const readings = totals.readings();
  expect(readings.s3gw_lifecycle_looked_at?.()).toEqual([[9, LABELS]]);
  expect(readings.s3gw_lifecycle_due?.()).toEqual([[5, LABELS]]);
  expect(readings.s3gw_lifecycle_outcomes?.().filter(([value]) => value > 0)).toEqual([
    [3, { ...LABELS, outcome: 'done' }],
    [2, { ...LABELS, outcome: 'locked' }],
  ]);
  expect(readings.s3gw_lifecycle_oldest_due_timestamp_seconds?.()).toEqual([]);
  totals.add(reportOf({ r: { due: 1, failed: 1, oldestDue: '1970-01-01T00:00:09.000Z' } }));
  expect(readings.s3gw_lifecycle_oldest_due_timestamp_seconds?.()).toEqual([[9, LABELS]]);
  expect(readings.s3gw_lifecycle_last_run_timestamp_seconds?.()).toEqual([[Date.parse('2026-01-01T00:00:10Z') / 1000]]);
});

test('rules that are gone are forgotten, unless another sweeper has their bucket', () => {
  const totals = new LifecycleTotals();
  const rules = (): unknown => totals.readings().s3gw_lifecycle_looked_at?.();
  totals.add(reportOf({ r: { lookedAt: 1 } }));
  const elsewhere = reportOf({});
  totals.add({ ...elsewhere, buckets: elsewhere.buckets.map((bucket) => ({ ...bucket, complete: false })) });
  expect(rules()).toEqual([[1, LABELS]]);
  totals.add(reportOf({ other: { lookedAt: 2 } }));
  expect(rules()).toEqual([[2, { ...LABELS, rule: 'other' }]]);
  totals.add(reportOf({}, { buckets: [] }));
  expect(rules()).toEqual([]);
});

test('rules beyond a bound are counted only', () => {
  const totals = new LifecycleTotals();
  totals.add(reportOf(Object.fromEntries(Array.from({ length: 2003 }, (_, n) => [String(n), { lookedAt: 1 }]))));
  const readings = totals.readings();
  expect(readings.s3gw_lifecycle_looked_at?.()).toHaveLength(2000);
  expect(readings.s3gw_lifecycle_rules_without_room?.()).toEqual([[3]]);
});

test('a port for metrics is for a command that does not end', () => {
  const line = ['--config', 'c', '--lifecycle', '--metrics-port', '9002'];
  expect(() => parseSweepArguments(line, {})).toThrow('--metrics-port: only together with --every');
  expect(parseSweepArguments([...line, '--every', '60'], {})?.lifecycle?.metricsPort).toBe(9002);
  expect(() => parseSweepArguments(['--config', 'c', '--metrics-port', '9002'], {})).toThrow('--lifecycle');
});
