import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { apiUrl } from '../api.ts';
import type { App } from '../app.ts';
import { FILTER_FIELDS, type FilterField, isFiltered, writeFilter } from '../filter.ts';
import { plural } from '../format.ts';
import type { View } from './parts.ts';

export function filterBar(app: App): View {
  const folded = FILTER_FIELDS.filter(({ name }) => app.filter[name] !== undefined).length;
  return html`<form class="filters" role="search" aria-label="Filter requests" @submit=${(event: Event) => event.preventDefault()}>
    <div class="row">
      ${pauseButton(app)}
      ${toggle(app, 'errors', 'Failures')} ${toggle(app, 'slow', 'Slow')}
      <details class="fold" ?open=${startsOpen()}>
        <summary>Filters${folded > 0 ? ` (${folded})` : nothing}</summary>
        <div class="fields">${FILTER_FIELDS.map((field) => input(app, field))}</div>
      </details>
      <span class="end">
        ${otherFilters(app)}
        ${isFiltered(app.filter) ? html`<button type="button" @click=${() => app.setFilter({})}>Clear</button>` : nothing}
        <a class="button" href=${harAddress(app)} download="requests.har" title="All requests listed here, as an HTTP Archive">HAR</a>
      </span>
    </div>
  </form>`;
}

/** On narrow screens the fields start folded. */
function startsOpen(): boolean {
  return matchMedia('(min-width: 800px)').matches;
}

function pauseButton(app: App): View {
  const { paused, waiting } = app.list;
  const word = paused ? `Resume${waiting > 0 ? ` (${waiting} new)` : ''}` : 'Pause';
  return html`<button type="button" class="live ${paused ? 'paused' : app.connection}" aria-pressed=${paused ? 'true' : 'false'} @click=${() => app.togglePause()}>
    <span class="dot" aria-hidden="true"></span>${word}</button>
    <span class="quiet state" role="status">${paused ? 'paused' : CONNECTION_WORDS[app.connection]}</span>`;
}

const CONNECTION_WORDS = { connecting: 'connecting', live: 'live', broken: 'no connection, trying again' } as const;

function toggle(app: App, name: 'errors' | 'slow', label: string): View {
  return html`<button type="button" class="toggle" aria-pressed=${app.filter[name] === undefined ? 'false' : 'true'} @click=${() => app.toggle(name)}>${label}</button>`;
}

function input(app: App, { name, label, example, width }: FilterField): View {
  const set = (event: Event): void => app.setField(name, (event.target as HTMLInputElement).value);
  return html`<label class=${width}><span>${label}</span>
    <input name=${name} .value=${live(app.filter[name] ?? '')} placeholder=${example} @input=${set} autocomplete="off" spellcheck="false" autocapitalize="off"></label>`;
}

/** Filters that come by links and have no field. */
function otherFilters(app: App): View {
  const others = (['key', 'uploadId', 'since', 'before'] as const).filter((name) => app.filter[name] !== undefined);
  return html`${others.map(
    (name) => html`<button type="button" class="toggle" aria-pressed="true" title="Take this filter out"
    @click=${() => app.setField(name, '')}>${name}: ${app.filter[name]} ×</button>`,
  )}`;
}

function harAddress(app: App): string {
  const parameters = writeFilter(app.filter);
  parameters.set('scope', 'all');
  return apiUrl('/api/requests.har', parameters);
}

export function lostNotice(app: App): View {
  const { lost } = app.list;
  if (lost === 0) return nothing;
  return html`<p class="callout warn" role="status">${plural(lost, 'event')} lost: more came than could be shown. The list may lack some requests.
    <button type="button" @click=${() => app.reload()}>Read again</button></p>`;
}
