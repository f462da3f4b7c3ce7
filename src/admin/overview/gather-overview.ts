import type { RequestFacts } from '../../observe/request-facts.ts';
import type {
  EventsOverview,
  GatheredOverview,
  OverviewRow,
  OverviewTable,
  OverviewWindow,
  RowName,
  SeriesName,
  TableName,
} from './contract.ts';
import { LATENCY_CLASSES } from './latency-classes.ts';
import { type NamedRows, ROW_FIELDS } from './named-rows.ts';
import type { TimeRing } from './time-ring.ts';
import { MINUTE_MS, SERIES, type Traffic } from './traffic.ts';

/** What a window shows: steps of the series, each of so many minutes, and steps of the tables. */
const WINDOWS: Readonly<
  Record<OverviewWindow, { readonly steps: number; readonly minutes: number; readonly tableSteps: number }>
> = {
  hour: { steps: 60, minutes: 1, tableSteps: 60 },
  day: { steps: 288, minutes: 5, tableSteps: 96 },
};

/** What this process has counted, in the form in which several of them can be added up. */
export function gatherOverview(traffic: Traffic, window: OverviewWindow, events: EventsOverview): GatheredOverview {
  const { steps, minutes, tableSteps } = WINDOWS[window];
  const stepMs = minutes * MINUTE_MS;
  const times = timesUntil(traffic.now, stepMs, steps);
  const ring = window === 'hour' ? traffic.tableMinutes : traffic.tableQuarters;
  const tableTimes = timesUntil(traffic.now, ring.stepMs, tableSteps);
  const tables = Object.entries(traffic.tables).map(([name, rows]) => [
    name,
    tableOf(rows, ring, { times: tableTimes, hasSteps: name === 'codes' }),
  ]);
  return {
    window,
    stepMs,
    times,
    ...seriesOf(traffic.minutes, times, minutes),
    tables: Object.fromEntries(tables) as Record<TableName, OverviewTable>,
    events,
  };
}

/** Beginnings of the last steps, aligned, so that those of all processes are the same. */
function timesUntil(now: number, stepMs: number, count: number): number[] {
  const last = Math.floor(now / stepMs) * stepMs;
  return Array.from({ length: count }, (_, index) => last - (count - 1 - index) * stepMs);
}

function seriesOf(
  ring: TimeRing,
  times: readonly number[],
  minutes: number,
): Pick<GatheredOverview, 'series' | 'latency'> {
  const series = Object.fromEntries(SERIES.map((name) => [name, times.map(() => 0)])) as Record<SeriesName, number[]>;
  const latency = times.map((time, step) => {
    const classes = new Float64Array(LATENCY_CLASSES);
    for (let minute = 0; minute < minutes; minute += 1) {
      const start = ring.find(time + minute * MINUTE_MS);
      if (start === undefined) continue;
      for (const [index, name] of SERIES.entries()) {
        series[name][step] = (series[name][step] ?? 0) + (ring.cells[start + index] ?? 0);
      }
      for (let index = 0; index < LATENCY_CLASSES; index += 1) {
        classes[index] = (classes[index] ?? 0) + (ring.cells[start + SERIES.length + index] ?? 0);
      }
    }
    return [...classes.entries()].filter(([, count]) => count > 0).flat();
  });
  return { series, latency };
}

function tableOf(
  rows: NamedRows<RequestFacts>,
  ring: TimeRing,
  { times, hasSteps }: { readonly times: readonly number[]; readonly hasSteps: boolean },
): OverviewTable {
  const starts = times.map((time) => ring.find(time));
  const shown = [...rows.rows()].map(([name, at]): OverviewRow => {
    const row = rowOf(name, { ring, starts, at });
    return hasSteps ? { ...row, steps: starts.map((start) => cell(ring, start, at)) } : row;
  });
  return {
    stepMs: ring.stepMs,
    times,
    rows: shown.filter(({ requests }) => requests > 0),
  };
}

interface RowCells {
  readonly ring: TimeRing;
  readonly starts: readonly (number | undefined)[];
  readonly at: number;
}

function rowOf(name: RowName | null, { ring, starts, at }: RowCells): OverviewRow {
  const sums = ROW_FIELDS.map((field, index) => [
    field,
    starts.reduce((sum: number, start) => sum + cell(ring, start, at + index), 0),
  ]);
  return { name, ...(Object.fromEntries(sums) as Record<(typeof ROW_FIELDS)[number], number>) };
}

function cell({ cells }: TimeRing, start: number | undefined, at: number): number {
  return start === undefined ? 0 : (cells[start + at] ?? 0);
}
