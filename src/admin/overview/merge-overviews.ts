import type {
  BucketBehind,
  EventsOverview,
  GatheredOverview,
  MergedOverview,
  OverviewRow,
  OverviewTable,
  PercentileName,
} from './contract.ts';
import { LATENCY_CLASSES, percentileOf } from './latency-classes.ts';
import { PLACES, ROW_FIELDS } from './named-rows.ts';
import { SERIES } from './traffic.ts';

const SHARES: Readonly<Record<PercentileName, number>> = { p50: 0.5, p90: 0.9, p99: 0.99 };
const PERCENTILES = Object.keys(SHARES) as PercentileName[];
/** Buckets whose waiting events are named. */
export const MAX_BEHIND = 20;

/**
 * Adds up what several processes counted, and reads percentiles from it. Steps go by the first one's clock: what a
 * process counted in a step that the first one does not show is left out.
 */
export function mergeOverviews([first, ...others]: readonly [GatheredOverview, ...GatheredOverview[]]): Omit<
  MergedOverview,
  'replicas'
> {
  const all = [first, ...others];
  const { window, stepMs, times } = first;
  const series = Object.fromEntries(
    SERIES.map((name) => [name, addSteps(times, all, ({ series: { [name]: values } }) => values)]),
  ) as Record<(typeof SERIES)[number], number[]>;
  const latency = addLatency(times, all);
  const tables = Object.fromEntries(
    Object.entries(first.tables).map(([name]) => [name, mergeTables(all.map((one) => one.tables[name as TableKey]))]),
  ) as MergedOverview['tables'];
  return {
    window,
    stepMs,
    times,
    series,
    latency: latency.map((classes) => [...classes.entries()].filter(([, count]) => count > 0).flat()),
    percentiles: percentilesOf(latency),
    tables,
    events: mergeEvents(all.map(({ events }) => events)),
  };
}

type TableKey = keyof MergedOverview['tables'];

/** Values of all processes, by the time of their step. */
function addSteps<T extends { readonly times: readonly number[] }>(
  times: readonly number[],
  all: readonly T[],
  valuesOf: (one: T) => readonly number[] | undefined,
): number[] {
  const sums = times.map(() => 0);
  for (const one of all) {
    const values = valuesOf(one) ?? [];
    for (const [index, step] of stepsIn(times, one).entries()) {
      if (step !== undefined) sums[step] = (sums[step] ?? 0) + (values[index] ?? 0);
    }
  }
  return sums;
}

/** For each step of a process, which of ours it is. */
function stepsIn(times: readonly number[], one: { readonly times: readonly number[] }): (number | undefined)[] {
  const ours = new Map(times.map((time, step) => [time, step]));
  return one.times.map((time) => ours.get(time));
}

function addLatency(times: readonly number[], all: readonly GatheredOverview[]): Float64Array[] {
  const sums = times.map(() => new Float64Array(LATENCY_CLASSES));
  for (const one of all) {
    for (const [index, step] of stepsIn(times, one).entries()) {
      const classes = step === undefined ? undefined : sums[step];
      const counted = one.latency[index] ?? [];
      for (let at = 0; classes !== undefined && at + 1 < counted.length; at += 2) {
        const latency = counted[at] ?? 0;
        classes[latency] = (classes[latency] ?? 0) + (counted[at + 1] ?? 0);
      }
    }
  }
  return sums;
}

function percentilesOf(latency: readonly Float64Array[]): MergedOverview['percentiles'] {
  const whole = new Float64Array(LATENCY_CLASSES);
  for (const classes of latency) {
    for (const [index, count] of classes.entries()) whole[index] = (whole[index] ?? 0) + count;
  }
  const read = <T>(of: (share: number) => T): Record<PercentileName, T> =>
    Object.fromEntries(PERCENTILES.map((name) => [name, of(SHARES[name])])) as Record<PercentileName, T>;
  return {
    all: read((share) => percentileOf(whole, share) ?? null),
    steps: read((share) => latency.map((classes) => percentileOf(classes, share) ?? null)),
  };
}

/** As many rows as one process has, whatever the number of processes: the others share one. */
function mergeTables(tables: readonly (OverviewTable | undefined)[]): OverviewTable {
  const known = tables.filter((table) => table !== undefined);
  const { stepMs = 0, times = [] } = known[0] ?? {};
  const rows = new Map<string, OverviewRow>();
  for (const table of known) {
    for (const row of table.rows) {
      const key = JSON.stringify(row.name);
      rows.set(key, addRows(rows.get(key), withSteps(times, table, row)));
    }
  }
  const all = [...rows.values()];
  const named = all.filter(({ name }) => name !== null).sort((a, b) => b.requests - a.requests);
  const rare = [...named.slice(PLACES), ...all.filter(({ name }) => name === null)];
  const others = rare.reduce<OverviewRow | undefined>((sum, row) => ({ ...addRows(sum, row), name: null }), undefined);
  return { stepMs, times, rows: [...named.slice(0, PLACES), ...(others === undefined ? [] : [others])] };
}

function withSteps(times: readonly number[], table: OverviewTable, row: OverviewRow): OverviewRow {
  return row.steps === undefined ? row : { ...row, steps: addSteps(times, [table], () => row.steps) };
}

function addRows(sum: OverviewRow | undefined, row: OverviewRow): OverviewRow {
  if (sum === undefined) return row;
  const fields = Object.fromEntries(ROW_FIELDS.map((field) => [field, sum[field] + row[field]]));
  const steps = row.steps?.map((count, step) => count + (sum.steps?.[step] ?? 0));
  return { ...sum, ...fields, ...(steps !== undefined && { steps }) };
}

/** Two processes may have sent events of a bucket lately: the one that saw more of them waiting is believed. */
function mergeEvents(all: readonly EventsOverview[]): EventsOverview {
  const behind = new Map<string, BucketBehind>();
  for (const one of all.flatMap((events) => events.behind)) {
    if ((behind.get(one.bucket)?.count ?? 0) < one.count) behind.set(one.bucket, one);
  }
  const sum = (of: (events: EventsOverview) => number): number => all.reduce((total, events) => total + of(events), 0);
  return {
    delivered: sum(({ delivered }) => delivered),
    failed: sum(({ failed }) => failed),
    dropped: sum(({ dropped }) => dropped),
    behind: [...behind.values()].sort((a, b) => b.count - a.count).slice(0, MAX_BEHIND),
  };
}
