import { describe, expect, it } from 'vitest';
import type { MergedOverview, OverviewWindow, TableName } from '../../../../src/admin/overview/contract.ts';
import { gatherOverview } from '../../../../src/admin/overview/gather-overview.ts';
import { mergeOverviews } from '../../../../src/admin/overview/merge-overviews.ts';
import { Traffic } from '../../../../src/admin/overview/traffic.ts';
import { S3Error } from '../../../../src/errors/s3-error.ts';
import type { BackendCallFacts } from '../../../../src/observe/call-facts.ts';
import { factsOf } from '../../../support/observe/request-facts.ts';

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 10, 28, 12);
const NO_EVENTS = { delivered: 0, failed: 0, dropped: 0, behind: [] };
const ANONYMOUS = {
  method: 'anonymous',
  identity: { kind: 'anonymous' },
  failure: undefined,
  signature: undefined,
} as const;

class Watched {
  time = NOON;
  readonly traffic = new Traffic({ slowMs: 1000, now: () => this.time });

  read(window: OverviewWindow = 'hour', ...others: Watched[]): MergedOverview {
    const gathered = others.map(({ traffic }) => gatherOverview(traffic, window, NO_EVENTS));
    return mergeOverviews([gatherOverview(this.traffic, window, NO_EVENTS), ...gathered]);
  }

  rows(table: TableName, ...others: Watched[]): unknown[] {
    return this.read('hour', ...others).tables[table].rows.map(({ name, requests }) => [name, requests]);
  }
}

const refused = (code: 'AccessDenied' | 'NoSuchKey', status: number, more: object = {}): ReturnType<typeof factsOf> =>
  factsOf({ status, failure: new S3Error(code), ...more });

describe('what came of requests', () => {
  it('is summed up for each minute, the last one still under way', () => {
    const watched = new Watched();
    watched.traffic.ended(factsOf({ bytesIn: 10, bytesOut: 100 }));
    watched.time += MINUTE;
    watched.traffic.ended(refused('AccessDenied', 403));
    watched.traffic.ended(factsOf({ status: 503, failure: new S3Error('SlowDown'), tookMs: 3000 }));
    watched.traffic.ended(factsOf({ clientLeft: true }));
    const { times, series, percentiles } = watched.read();
    expect(times.slice(-2)).toEqual([NOON, NOON + MINUTE]);
    expect(times).toHaveLength(60);
    const last = Object.fromEntries(Object.entries(series).map(([name, values]) => [name, values.slice(-2)]));
    expect(last).toMatchObject({
      requests: [1, 3],
      clientErrors: [0, 1],
      serverErrors: [0, 1],
      aborted: [0, 1],
      slow: [0, 1],
      bytesIn: [10, 0],
      bytesOut: [100, 0],
    });
    expect(percentiles.steps.p99.at(-3)).toBeNull();
    expect(percentiles.all.p50).toBeGreaterThan(3);
    expect(percentiles.all.p99).toBeGreaterThan(2000);
  });

  it('has the calls to the backend, also those of no request', () => {
    const watched = new Watched();
    const call = (more: Partial<BackendCallFacts>): void =>
      watched.traffic.backendCall({ attempt: 1, outcome: 'ok', started: 5, ended: 15, ...more } as BackendCallFacts);
    call({});
    call({ outcome: 'throttled' });
    call({ attempt: 2 });
    const { series } = watched.read();
    const last = (name: keyof typeof series): number | undefined => series[name].at(-1);
    expect([last('backendCalls'), last('backendThrottles'), last('backendRetries'), last('backendMs')]).toEqual([
      3, 1, 1, 30,
    ]);
  });

  it('is there for a day in steps of five minutes, and gone after that', () => {
    const watched = new Watched();
    watched.traffic.ended(factsOf());
    for (const [hours, found] of [
      [1, 1],
      [23, 1],
      [24, 0],
      [49, 0],
    ] as const) {
      watched.time = NOON + hours * 60 * MINUTE;
      watched.traffic.ended(factsOf({ operation: 'PutObject' }));
      const { series, tables, times } = watched.read('day');
      const early = times.findIndex((time) => time === NOON);
      expect([early === -1 ? 0 : series.requests[early], hours]).toEqual([found, hours]);
      const gets = tables.operations.rows.find(({ name }) => name?.operation === 'GetObject')?.requests ?? 0;
      expect([gets, hours]).toEqual([found, hours]);
    }
  });

  it('survives a clock that steps back and forth', () => {
    const watched = new Watched();
    const { bytes } = watched.traffic;
    for (const hours of [0, -3, 24 * 400, 1, -24 * 30, 0]) {
      watched.time = NOON + hours * 60 * MINUTE;
      watched.traffic.ended(factsOf());
    }
    watched.time = NOON;
    const { series } = watched.read();
    expect(series.requests.at(-1)).toBe(2);
    expect(series.requests.reduce((sum, count) => sum + count, 0)).toBe(2);
    expect(watched.traffic.bytes).toBe(bytes);
  });

  it('takes 2.4 MB, whatever comes', () => {
    const watched = new Watched();
    const { bytes } = watched.traffic;
    expect(bytes).toBeLessThan(2.4e6);
    for (let index = 0; index < 1000; index += 1) {
      watched.traffic.ended(factsOf({ bucket: `b${index}`, key: `k${index}` }));
      watched.traffic.ended(refused('AccessDenied', 403, { bucket: `stranger-${index}`, auth: ANONYMOUS }));
    }
    expect(watched.traffic.bytes).toBe(bytes);
    for (const { rows } of Object.values(watched.read().tables)) expect(rows.length).toBeLessThanOrEqual(33);
  });
});

describe('tables by name', () => {
  it('name operations, buckets, identities, codes, and who is refused where', () => {
    const watched = new Watched();
    watched.traffic.ended(factsOf());
    watched.traffic.ended(refused('NoSuchKey', 404));
    watched.traffic.ended(refused('AccessDenied', 403, { auth: ANONYMOUS }));
    expect(watched.rows('operations')).toEqual([[{ operation: 'GetObject' }, 3]]);
    expect(watched.rows('buckets')).toEqual([[{ bucket: 'bucket' }, 3]]);
    expect(watched.rows('identities')).toEqual([
      [{ identity: 'main' }, 2],
      [null, 1],
    ]);
    expect(watched.rows('codes')).toEqual([
      [{ code: 'NoSuchKey' }, 1],
      [{ code: 'AccessDenied' }, 1],
    ]);
    expect(watched.rows('refused')).toEqual([[{ code: 'AccessDenied', identity: 'anonymous', bucket: 'bucket' }, 1]]);
    expect(watched.read().tables.codes.rows[0]?.steps?.at(-1)).toBe(1);
  });

  it('leave the buckets in use alone when strangers make up names', () => {
    const watched = new Watched();
    watched.traffic.ended(factsOf());
    for (let index = 0; index < 1000; index += 1) {
      watched.traffic.ended(refused('AccessDenied', 403, { bucket: `made-up-${index}`, auth: ANONYMOUS }));
    }
    expect(watched.rows('buckets')).toEqual([
      [{ bucket: 'bucket' }, 1],
      [null, 1000],
    ]);
  });

  it('cut names that are long', () => {
    const watched = new Watched();
    watched.traffic.ended(refused('AccessDenied', 403, { bucket: 'x'.repeat(8000) }));
    const [row] = watched.read().tables.refused.rows;
    expect(row?.name?.bucket).toHaveLength(128);
  });

  it('hold no credentials that were sent in place of a bucket', () => {
    const watched = new Watched();
    const bucket = 'AccountName=x;AccountKey=c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0';
    watched.traffic.ended(refused('AccessDenied', 403, { bucket }));
    const shown = JSON.stringify(watched.read().tables);
    expect(shown).toContain('AccountKey=');
    expect(shown).not.toContain('c2VjcmV0');
  });

  it('say which operations are slow in which bucket', () => {
    const watched = new Watched();
    watched.traffic.ended(factsOf({ tookMs: 2000 }));
    watched.traffic.ended(factsOf({ tookMs: 20 }));
    expect(watched.rows('slow')).toEqual([[{ operation: 'GetObject', bucket: 'bucket' }, 1]]);
  });
});

describe('overviews of several processes', () => {
  it('add up by time and by name', () => {
    const [one, two] = [new Watched(), new Watched()];
    one.traffic.ended(factsOf());
    two.traffic.ended(factsOf({ tookMs: 500 }));
    two.traffic.ended(factsOf({ bucket: 'other', tookMs: 500 }));
    two.time += MINUTE;
    two.traffic.ended(factsOf());
    const { series, times, percentiles } = one.read('hour', two);
    expect(times.at(-1)).toBe(NOON);
    expect(series.requests.at(-1)).toBe(3);
    expect(percentiles.all.p99).toBeGreaterThan(300);
    expect(one.rows('buckets', two)).toEqual([
      [{ bucket: 'bucket' }, 3],
      [{ bucket: 'other' }, 1],
    ]);
  });

  it('have no more rows than one has', () => {
    const processes = Array.from({ length: 4 }, (_, index) => {
      const watched = new Watched();
      for (let bucket = 0; bucket < 30; bucket += 1) watched.traffic.ended(factsOf({ bucket: `b-${index}-${bucket}` }));
      return watched;
    });
    const [first, ...others] = processes;
    const rows = first?.rows('buckets', ...others) ?? [];
    expect(rows).toHaveLength(33);
    expect(rows.at(-1)).toEqual([null, 88]);
  });

  it('believe the process that saw more events of a bucket waiting', () => {
    const watched = new Watched();
    const seen = (count: number, delivered: number): ReturnType<typeof gatherOverview> =>
      gatherOverview(watched.traffic, 'hour', {
        ...NO_EVENTS,
        delivered,
        behind: [{ bucket: 'photos', count, since: NOON - count }],
      });
    expect(mergeOverviews([seen(3, 10), seen(7, 20)]).events).toEqual({
      ...NO_EVENTS,
      delivered: 30,
      behind: [{ bucket: 'photos', count: 7, since: NOON - 7 }],
    });
  });
});
