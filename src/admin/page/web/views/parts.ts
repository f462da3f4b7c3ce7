import { html, nothing, type TemplateResult } from 'lit-html';
import type { HeadRevision, Outcome, RequestSummary } from '../../../inspector/contract.ts';
import { formatDate, formatTime, isoTime } from '../format.ts';

export type View = TemplateResult | typeof nothing | string;

const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  running: 'running',
  ok: 'ok',
  clientError: 'refused',
  serverError: 'failed',
  aborted: 'aborted',
};

/** Status or, without one, how it ended; the colour only repeats it. */
export function outcomeBadge({ outcome, status }: RequestSummary): View {
  return html`<span class="badge ${outcome}" title=${OUTCOME_WORDS[outcome]}>${status ?? OUTCOME_WORDS[outcome]}${
    outcome === 'aborted' && status !== undefined ? html`<span class="unseen"> aborted</span>` : nothing
  }</span>`;
}

/** `bucket/key`, the bucket quieter. */
export function addressText({ bucket, key, target }: RequestSummary): View {
  if (bucket === undefined) return html`<span class="quiet">${target}</span>`;
  return key === undefined ? bucket : html`<span class="quiet">${bucket}/</span>${key}`;
}

export function timeText(epochMs: number): View {
  return html`<time datetime=${isoTime(epochMs)} title=${isoTime(epochMs)}>${formatTime(epochMs)}</time>`;
}

export function dateText(epochMs: number): View {
  return html`<time datetime=${isoTime(epochMs)} title=${isoTime(epochMs)}>${formatDate(epochMs)}</time>`;
}

export type Fact = readonly [name: string, value: View | number | undefined];

/** A list of facts; those that are not known are left out. */
export function facts(...entries: readonly Fact[]): View {
  const known = entries.filter(([, value]) => value !== undefined && value !== nothing);
  if (known.length === 0) return nothing;
  return html`<dl class="facts">${known.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Text for machines: ids, names, revisions. */
export function code(text: string | undefined): View {
  return text === undefined ? nothing : html`<code>${text}</code>`;
}

/** A sentence of the server, in which code stands between backticks. */
export function sentence(text: string): View {
  return html`${text.split('`').map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece))}`;
}

/** Kind and revision of a head at one moment. */
export function revision(head: HeadRevision | undefined): View {
  return head === undefined
    ? html`<span class="quiet">not seen</span>`
    : html`${head.kind ?? nothing} ${code(head.revision)}`;
}

export function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** A table that scrolls sideways by itself, also for those who have no mouse. */
export function scrollingTable(label: string, table: TemplateResult): View {
  return html`<div class="scroll" role="region" aria-label=${label} tabindex="0">${table}</div>`;
}

export function section(title: string, content: View): View {
  return content === nothing ? nothing : html`<section class="part"><h3>${title}</h3>${content}</section>`;
}
