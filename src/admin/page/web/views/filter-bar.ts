import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { apiUrl } from '../api.ts';
import type { App } from '../app.ts';
import { FILTER_FIELDS, type FilterField, isFiltered, writeFilter } from '../filter.ts';
import { MOST_A_SECOND } from '../live-stream.ts';
import { localInputText, plural, timeOfLocalInput } from '../format.ts';
import type { View } from './parts.ts';

export function filterBar(app: App): View {
  const names = [...FILTER_FIELDS.map(({ name }) => name), 'since', 'before'] as const;
  const folded = names.filter((name) => app.filter[name] !== undefined).length;
  return html`<form class="filters" role="search" aria-label="Filter requests" @submit=${(event: Event) => event.preventDefault()}>
    <div class="row">
      ${pauseButton(app)}
      ${toggle(app, 'errors', 'Failures')} ${toggle(app, 'slow', 'Slow')}
      <details class="fold" ?open=${startsOpen()}>
        <summary>Filters${folded > 0 ? ` (${folded})` : nothing}</summary>
        <div class="fields">${FILTER_FIELDS.map((field) => input(app, field))} ${timeInput(app, 'since', 'From')} ${timeInput(app, 'before', 'Until')}</div>
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

/** Of what the replicas still keep: failures and slow requests go back farthest. */
function timeInput(app: App, name: 'since' | 'before', label: string): View {
  const time = Number(app.filter[name]);
  const text = time > 0 ? localInputText(time) : '';
  const set = (event: Event): void => {
    const chosen = timeOfLocalInput((event.target as HTMLInputElement).value);
    app.setField(name, chosen === undefined ? '' : String(chosen));
  };
  return html`<label class="short time"><span>${label}</span>
    <input name=${name} type="datetime-local" step="1" .value=${live(text)} @change=${set}></label>`;
}

/** Filters that come by links and have no field. */
function otherFilters(app: App): View {
  const others = (['key', 'uploadId'] as const).filter((name) => app.filter[name] !== undefined);
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

/** What the list lacks: what the page could not take, and what it did not ask for. */
export function lackNotices(app: App): View {
  const { lost, leftOut } = app.list;
  return html`${
    lost === 0
      ? nothing
      : html`<p class="callout warn" role="status">${plural(lost, 'event')} lost: more came than could be shown. The list may lack some requests.
    <button type="button" @click=${() => app.reload()}>Read again</button></p>`
  }${
    leftOut === 0
      ? nothing
      : html`<p class="callout">${plural(leftOut, 'request')} left out: the list shows up to ${MOST_A_SECOND} a second, and as many that failed or were slow.
    Filters are applied before; the overview counts all.</p>`
  }`;
}
