import { html, nothing, svg } from 'lit-html';
import type {
  AccessReasons,
  ShownBody,
  Classification,
  Decision,
  ErrorMapping,
  RequestDetail,
  ShownRequestHead,
  StatementFacts,
} from '../../../inspector/contract.ts';
import { BODY_FIELDS, REQUEST_FIELDS } from '../../../inspector/request-fields.ts';
import type { App } from '../app.ts';
import { formatDuration, plural } from '../format.ts';
import { actions, links } from './actions.ts';
import { authenticationView } from './authentication.ts';
import { fieldFacts } from './field-facts.ts';
import {
  type View,
  addressText,
  code,
  facts,
  outcomeBadge,
  revision,
  scrollingTable,
  section,
  yesNo,
} from './parts.ts';
import { waterfall } from './waterfall.ts';

/**
 * Shows one request, in the order in which a person asks: what it was, who sent it, whether they were allowed to, what
 * it did, and why it ended so.
 */
export function detailView(app: App, detail: RequestDetail): View {
  const { summary } = detail;
  return html`
    <header class="detail-head">
      <h2 tabindex="-1">${outcomeBadge(summary)} ${summary.operation ?? summary.method} ${
        summary.code === undefined ? nothing : html`<span class="error-code">${summary.code}</span>`
      }</h2>
      <p class="address">${addressText(summary)}</p>
      ${facts(
        ...fieldFacts(REQUEST_FIELDS, 'top', { ...summary, ...detail.request }, { trace: (id) => traceId(app, id) }),
        ['Replica', summary.replica],
      )}
      ${actions(app, detail)}
    </header>
    ${section('Operation', classification(detail.classification))}
    ${section('Identity', authenticationView(app, detail.authentication))}
    ${section('Authorisation', decisions(detail.authorisation))}
    ${section(`Backend: ${calls(detail)}`, waterfall(detail))}
    ${section('Head of the key', heads(detail))}
    ${section('Body', body(detail.body))}
    ${section('Time', timesView(detail))}
    ${section('Error', errorMapping(detail.error))}
    ${section('Request as sent', requestHead(detail.request))}
    ${section('Elsewhere', links(detail))}`;
}

function traceId(app: App, id: string): View {
  const template = app.settings.value?.traceUrlTemplate;
  if (template === undefined || !/^https?:\/\//i.test(template)) return code(id);
  return html`<a href=${template.replaceAll('{traceId}', encodeURIComponent(id))} target="_blank" rel="noopener noreferrer" title="Open in the trace viewer"><code>${id}</code> ↗</a>`;
}

function calls({ backend: { total, retries } }: RequestDetail): string {
  return `${plural(total, 'call')}${retries > 0 ? `, ${plural(retries, 'retry', 'retries')}` : ''}`;
}

function classification(values: Classification): View {
  const { operation, why, bucket, virtualHost } = values;
  return facts(
    ['Operation', operation ?? 'none'],
    ['Because', why],
    [
      'Bucket',
      bucket === undefined
        ? undefined
        : html`${code(bucket)}${virtualHost === true ? html` <span class="quiet">named by the Host header</span>` : nothing}`,
    ],
    ...fieldFacts(REQUEST_FIELDS, 'operation', values),
  );
}

function decisions(made: readonly Decision[]): View {
  if (made.length === 0) return html`<p class="quiet">It did not come to that.</p>`;
  return html`<ul class="plain">${made.map(
    ({ action, allowed, rule, reasons }) => html`<li>
    <span class="badge ${allowed ? 'ok' : 'clientError'}">${allowed ? 'allowed' : 'denied'}</span> <code>${action}</code> <span class="quiet">by</span> ${rule}${reasons === undefined ? nothing : because(reasons)}</li>`,
  )}</ul>`;
}

function because({ resource, by, looked, omitted, remedies = [] }: AccessReasons): View {
  return html`${facts(
    ['Resource', code(resource)],
    ['Statement', by === undefined ? 'none decided' : statementOf(by)],
  )}${looked.length === 0 ? nothing : html`<details><summary>${looked.length + (omitted ?? 0)} statements looked at</summary><ul>${looked.map((asked) => html`<li>${statementOf(asked)}</li>`)}</ul></details>`}
    ${remedies.map(({ document, statement }) => html`<p>It would take, in ${document}: <code>${statement}</code></p>`)}`;
}

function statementOf({ policy, statement, effect, mismatch, condition }: StatementFacts): View {
  const why =
    mismatch === undefined
      ? 'speaks about the request'
      : condition === undefined
        ? `another ${mismatch}`
        : `condition does not hold: ${condition}`;
  return html`<code>${policy}/${statement}</code> ${effect} <span class="quiet">${why}</span>`;
}

function heads({ head: { before, after }, heads: several = [] }: RequestDetail): View {
  if (several.length > 1) {
    return html`${several.map(({ blob, ...each }) => html`<h4><code>${blob}</code></h4>${headPair(each)}`)}`;
  }
  return before === undefined && after === undefined
    ? html`<p class="quiet">Not looked at.</p>`
    : headPair({ ...(before && { before }), ...(after && { after }) });
}

function headPair({ before, after }: RequestDetail['head']): View {
  return html`<p class="before-after">${revision(before)} <span class="quiet"><span aria-hidden="true">→</span><span class="unseen">then</span></span> ${revision(after)}</p>`;
}

function body({ checksums, ...values }: ShownBody): View {
  return html`${facts(
    ['Framing', values.framing ?? 'not read'],
    ...fieldFacts(BODY_FIELDS, 'body', values),
  )}${checksums.length === 0 ? nothing : checksumTable(checksums)}`;
}

function checksumTable(checksums: ShownBody['checksums']): View {
  return scrollingTable(
    'Checksums',
    html`<table class="dense small">
    <thead><tr><th scope="col">Checksum</th><th scope="col">Declared</th><th scope="col">Computed</th><th scope="col">Fits</th></tr></thead>
    <tbody>${checksums.map(
      ({
        algorithm,
        declared,
        computed,
      }) => html`<tr><th scope="row">${algorithm}</th><td>${code(declared)}</td><td>${code(computed)}</td>
      <td>${declared === undefined || computed === undefined ? '–' : verdict(declared === computed)}</td></tr>`,
    )}</tbody>
  </table>`,
  );
}

function verdict(fits: boolean): View {
  return html`<span class="badge ${fits ? 'ok' : 'clientError'}">${yesNo(fits)}</span>`;
}

function errorMapping(error: ErrorMapping | undefined): View {
  if (error === undefined) return nothing;
  const causes = error.causes.map(({ name, message }) => html`<li><code>${name}</code> ${message}</li>`);
  return html`<p><span class="error-code">${error.code}</span>${error.status === undefined ? nothing : html` <span class="quiet">status ${error.status}</span>`}</p>
    <p>${error.message}</p>
    ${causes.length === 0 ? nothing : html`<h4>Because of</h4><ol class="causes">${causes}</ol>`}`;
}

function requestHead({ method, target, httpVersion, headers, headersOmitted }: ShownRequestHead): View {
  return html`<details><summary>Head with ${plural(headers.length, 'header')}</summary>
    <pre tabindex="0" class="wrap">${method} ${target}${httpVersion === undefined ? '' : ` HTTP/${httpVersion}`}${'\n'}${headers.map(([name, value]) => html`<b>${name}</b>: ${value}${'\n'}`)}</pre>
    ${headersOmitted > 0 ? html`<p class="quiet">${plural(headersOmitted, 'more header')} did not fit into the journal.</p>` : nothing}</details>`;
}

const WIDTH = 1000;

/** Where the time went. */
function timesView({ times, summary }: RequestDetail): View {
  const endMs = times.endMs ?? summary.durationMs;
  return html`${phases(times, endMs)}${facts(...fieldFacts(REQUEST_FIELDS, 'time', times))}`;
}

/** From one moment to the next that it came to. */
function phases({ authenticatedMs, authorisedMs, firstByteMs }: RequestDetail['times'], endMs: number): View {
  const moments = (
    [
      ['signature', authenticatedMs],
      ['permission', authorisedMs],
      ['work', firstByteMs],
      ['answer', endMs],
    ] as const
  ).filter((moment): moment is [(typeof moment)[0], number] => moment[1] !== undefined);
  if (moments.length < 2 || endMs <= 0) return nothing;
  let from = 0;
  const parts = moments.map(([name, to]) => {
    const part = { name, from, ms: Math.max(0, to - from) };
    from = Math.max(from, to);
    return part;
  });
  return html`<div class="phases">
    <svg viewBox="0 0 ${WIDTH} 12" preserveAspectRatio="none" aria-hidden="true">${parts.map(
      (part) =>
        svg`<rect class="phase-${part.name}" x=${(part.from / endMs) * WIDTH} y="0" width=${(part.ms / endMs) * WIDTH} height="12"></rect>`,
    )}</svg>
    <ul class="plain">${parts.map(({ name, ms }) => html`<li class="legend phase-${name}">${name} <span class="quiet">${formatDuration(ms)}</span></li>`)}</ul>
  </div>`;
}
