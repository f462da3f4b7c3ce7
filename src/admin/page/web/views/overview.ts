import { html, nothing } from 'lit-html';
import type { Overview, OverviewWindow, SeriesName } from '../../../inspector/contract.ts';
import type { App } from '../app.ts';
import { formatBytes, formatCount, formatDate, formatDuration, formatShare } from '../format.ts';
import { writeRoute } from '../route.ts';
import { whenLoaded } from './loaded.ts';
import { lifecycleCard } from './lifecycle.ts';
import { nameTables } from './name-tables.ts';
import { scrollingTable, type View } from './parts.ts';
import { plotCards } from './plots.ts';
import { usageCard } from './usage.ts';

const WINDOWS: Readonly<Record<OverviewWindow, string>> = { hour: 'Last hour', day: 'Last day' };

/** The inspector's first view: what came of the requests of the last hour or day, on all replicas. */
export function overviewPage(app: App): View {
  const { route } = app;
  if (route.view !== 'overview') return nothing;
  const windows = Object.entries(WINDOWS) as [OverviewWindow, string][];
  return html`<section class="page overview" aria-label="Overview">
    <header>
      <h2>Overview</h2>
      <nav class="choice" aria-label="Window">${windows.map(
        ([window, label]) =>
          html`<a href=${writeRoute({ view: 'overview', window })} aria-current=${route.window === window ? 'true' : nothing}>${label}</a>`,
      )}</nav>
      <span class="quiet">All replicas and workers. What they count is kept in memory.</span>
    </header>
    ${whenLoaded(app.overview.loaded, (overview) => overviewParts(app, overview))}
    ${usageCard(app)}
    ${lifecycleCard(app)}
  </section>`;
}

function overviewParts(app: App, overview: Overview): View {
  return html`${notices(overview)}${tiles(overview)}
    <div class="grid plots">${plotCards(app, overview)}${eventsCard(overview)}</div>
    ${nameTables(overview)}`;
}

/** What the figures lack. */
function notices({ times, replicas }: Overview): View {
  const missing = replicas.filter(({ up }) => !up);
  const began = Math.max(0, ...replicas.map(({ started }) => started ?? 0));
  return html`${
    missing.length === 0
      ? nothing
      : html`<p class="callout warn">Without ${missing.map(({ id }) => id).join(', ')}: not reached.</p>`
  }${
    began <= (times[0] ?? 0)
      ? nothing
      : html`<p class="quiet">A process started ${formatDate(began)}: what it served before is not counted.</p>`
  }`;
}

function tiles(overview: Overview): View {
  const { percentiles, times, stepMs } = overview;
  const sum = (name: SeriesName): number => overview.series[name].reduce((all, count) => all + count, 0);
  const requests = sum('requests');
  const seconds = (times.length * stepMs) / 1000;
  const calls = sum('backendCalls');
  const all: readonly (readonly [string, View, string])[] = [
    ['Requests', formatCount(requests), `${(requests / seconds).toFixed(1)} a second`],
    ['Refused (4xx)', formatShare(sum('clientErrors'), requests), formatCount(sum('clientErrors'))],
    ['Failed (5xx)', formatShare(sum('serverErrors'), requests), formatCount(sum('serverErrors'))],
    ['Aborted', formatShare(sum('aborted'), requests), formatCount(sum('aborted'))],
    ['Median time', timeText(percentiles.all.p50), ''],
    ['99 % within', timeText(percentiles.all.p99), `${formatCount(sum('slow'))} slow`],
    ['Received', formatBytes(sum('bytesIn')), ''],
    ['Sent', formatBytes(sum('bytesOut')), ''],
    ['Backend calls', formatCount(calls), calls === 0 ? '' : `${formatDuration(sum('backendMs') / calls)} on average`],
    ['Throttled', formatCount(sum('backendThrottles')), `${formatCount(sum('backendRetries'))} repeated`],
  ];
  return html`<dl class="tiles">${all.map(([name, value, more]) => html`<div><dt>${name}</dt><dd>${value} <small>${more}</small></dd></div>`)}</dl>`;
}

function timeText(ms: number | null): string {
  return ms === null ? '–' : formatDuration(ms);
}

function eventsCard({ events: { delivered, failed, dropped, behind } }: Overview): View {
  const idle = delivered + failed + dropped === 0 && behind.length === 0;
  return html`<section class="card" aria-label="Events of buckets">
    <h3>Events of buckets</h3>
    ${
      idle
        ? html`<p class="quiet">No events were sent, and none wait.</p>`
        : html`<p>${formatCount(delivered)} delivered, ${formatCount(failed)} messages not taken and sent again, ${formatCount(dropped)} dropped, since the processes started.</p>`
    }
    ${
      behind.length === 0
        ? nothing
        : scrollingTable(
            'Buckets whose events wait',
            html`<table class="dense"><caption class="unseen">Buckets whose events wait</caption>
          <thead><tr><th scope="col">Bucket</th><th scope="col" class="number">Waiting</th><th scope="col">Oldest since</th></tr></thead>
          <tbody>${behind.map(({ bucket, count, since }) => html`<tr><th scope="row">${bucket}</th><td class="number">${formatCount(count)}</td><td>${formatDate(since)}</td></tr>`)}</tbody>
        </table>`,
          )
    }
  </section>`;
}
