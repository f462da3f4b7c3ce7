import { html } from 'lit-html';
import type { MergedOverview, Overview, OverviewRow, SeriesName } from '../../../inspector/contract.ts';
import type { App } from '../app.ts';
import { formatBytes, formatCount, formatDate, formatDuration, formatMinute } from '../format.ts';
import type { ChosenTime, PlotData, PlotLine } from '../time-plot.ts';
import '../time-plot.ts';
import { scrollingTable, type View } from './parts.ts';

/** A plot, with the same figures as a table for readers who cannot see it. */
interface Plot extends PlotData {
  readonly title: string;
}

/** Lines for the most frequent codes; other codes share the last one. */
const CODE_TONES = ['tone-main', 'tone-warn', 'tone-bad', 'tone-gone', 'tone-good'] as const;

/** All plots of an overview, each in a card. */
export function plotCards(app: App, overview: Overview): readonly View[] {
  const { stepMs, times } = overview;
  const step = stepMs === 60_000 ? 'a minute' : 'in five minutes';
  const shared = { stepMs, times, formatTime: formatMinute };
  const plots: readonly Plot[] = [
    { ...shared, title: `Requests ${step}`, lines: requestLines(overview), format: formatCount },
    codePlot(overview),
    { ...shared, title: 'Time of the gateway and its backend', lines: percentileLines(overview), format: formatMs },
    {
      ...shared,
      title: `Bytes ${step}`,
      lines: seriesLines(overview, { bytesIn: ['in', 'tone-good'], bytesOut: ['out', 'tone-main'] }),
      format: formatBytes,
      isBytes: true,
    },
    {
      ...shared,
      title: `Calls to the backend ${step}`,
      lines: seriesLines(overview, {
        backendCalls: ['calls', 'tone-main'],
        backendRetries: ['repeated', 'tone-warn'],
        backendThrottles: ['throttled', 'tone-bad'],
      }),
      format: formatCount,
    },
  ];
  return plots.map((plot) => plotCard(app, plot));
}

function seriesLines(
  { series }: MergedOverview,
  shown: Readonly<Partial<Record<SeriesName, readonly [label: string, tone: string]>>>,
): PlotLine[] {
  return Object.entries(shown).map(([name, [label, tone]]) => ({ label, tone, values: series[name as SeriesName] }));
}

function requestLines(overview: Overview): PlotLine[] {
  return seriesLines(overview, {
    requests: ['all', 'tone-main'],
    clientErrors: ['refused (4xx)', 'tone-warn'],
    serverErrors: ['failed (5xx)', 'tone-bad'],
    aborted: ['aborted', 'tone-gone'],
  });
}

function percentileLines({ percentiles: { steps } }: Overview): PlotLine[] {
  return [
    { label: 'median', tone: 'tone-main', values: steps.p50 },
    { label: '90 %', tone: 'tone-gone', values: steps.p90 },
    { label: '99 %', tone: 'tone-warn', values: steps.p99 },
  ];
}

function codePlot({ tables: { codes } }: Overview): Plot {
  const named = codes.rows.filter(({ name }) => name !== null).slice(0, CODE_TONES.length);
  const rest = codes.rows.filter((row) => !named.includes(row));
  const lines = named.map((row, index) => ({
    label: row.name?.code ?? '',
    tone: CODE_TONES[index] ?? 'tone-edge',
    values: row.steps ?? [],
  }));
  const others = { label: 'others', tone: 'tone-edge', values: sumOf(rest, codes.times.length) };
  return {
    title: `Errors by code ${codes.stepMs === 60_000 ? 'a minute' : 'in a quarter of an hour'}`,
    stepMs: codes.stepMs,
    times: codes.times,
    formatTime: formatMinute,
    format: formatCount,
    lines: rest.length === 0 ? lines : [...lines, others],
  };
}

function sumOf(rows: readonly OverviewRow[], count: number): number[] {
  return Array.from({ length: count }, (_, step) => rows.reduce((sum, row) => sum + (row.steps?.[step] ?? 0), 0));
}

function plotCard(app: App, plot: Plot): View {
  const { title, lines } = plot;
  const choose = (event: Event): void => {
    const { since, before } = (event as CustomEvent<ChosenTime>).detail;
    app.go({ view: 'requests', filter: { since: String(since), before: String(before) } });
  };
  const unfold = (event: Event): void => app.showFigures(title, (event.target as HTMLDetailsElement).open);
  return html`<section class="card" aria-label=${title}>
    <h3>${title}
      <ul class="lines">${lines.map(({ label, tone }) => html`<li class=${tone}><i aria-hidden="true"></i><span>${label}</span></li>`)}</ul>
    </h3>
    ${
      lines.length === 0
        ? html`<p class="quiet">None.</p>`
        : html`<time-plot role="group" tabindex="0" aria-label="${title}: arrow keys read the values, Enter lists the requests" .data=${plot} @chosen=${choose}></time-plot>
          <details ?open=${app.figures.has(title)} @toggle=${unfold}><summary>Figures</summary>${app.figures.has(title) ? figures(plot) : ''}</details>`
    }
  </section>`;
}

/** Newest first. */
function figures({ title, times, lines, format }: Plot): View {
  const steps = [...times.keys()].toReversed();
  return scrollingTable(
    title,
    html`<table class="dense small">
      <thead><tr><th scope="col">From</th>${lines.map(({ label }) => html`<th scope="col" class="number">${label}</th>`)}</tr></thead>
      <tbody>${steps.map((step) => html`<tr><th scope="row">${formatDate(times[step] ?? 0)}</th>${lines.map(({ values }) => html`<td class="number">${shown(values[step], format)}</td>`)}</tr>`)}</tbody>
    </table>`,
  );
}

function shown(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value);
}

function formatMs(ms: number): string {
  return formatDuration(ms);
}
