import { html, nothing } from 'lit-html';
import type { ShownAuthentication, AuthFailure, ShownHint } from '../../../inspector/contract.ts';
import { AUTH_FIELDS } from '../../../inspector/request-fields.ts';
import type { App } from '../app.ts';
import { canonicalLines } from '../canonical-lines.ts';
import { compareForm } from './compare.ts';
import { fieldFacts } from './field-facts.ts';
import { facts, sentence, type View } from './parts.ts';

const VERDICTS: Readonly<Record<ShownAuthentication['verdict'], readonly [words: string, tone: string]>> = {
  accepted: ['accepted', 'ok'],
  anonymous: ['anonymous', 'aborted'],
  refused: ['refused', 'clientError'],
  none: ['not asked for: the request was refused before', 'aborted'],
};

/** Shows who sent the request. If the signature was refused: why, and what the server signed. */
export function authenticationView(app: App, { verdict, failure, ...values }: ShownAuthentication): View {
  const [words, tone] = VERDICTS[verdict];
  return html`${facts(
    ['Verdict', html`<span class="badge ${tone}">${words}</span>`],
    ...fieldFacts(AUTH_FIELDS, 'identity', values),
  )}${failure === undefined ? nothing : failureView(app, failure)}`;
}

function failureView(app: App, failure: AuthFailure): View {
  const { canonicalRequest, stringToSign } = failure;
  return html`
    <p><span class="error-code">${failure.code}</span> ${failure.message}</p>
    ${hints(failure.hints)}
    ${canonicalRequest === undefined ? nothing : html`<h4>Canonical request <span class="quiet">as this server computed it</span></h4>${canonicalView(canonicalRequest, failure)}`}
    ${stringToSign === undefined ? nothing : html`<h4>String to sign</h4><pre tabindex="0" class="lines string-to-sign" aria-label="String to sign">${stringToSign}</pre>`}
    ${canonicalRequest === undefined || stringToSign === undefined ? nothing : compareForm(app, { canonicalRequest, stringToSign })}`;
}

const CERTAINTIES: Readonly<Record<ShownHint['certainty'], string>> = {
  proved: 'proved: with this undone the signature fits',
  likely: 'likely',
  possible: 'possible',
};

function hints(all: readonly ShownHint[]): View {
  if (all.length === 0) return nothing;
  return html`<ul class="plain hints" aria-label="What it may have been">${all.map(
    ({ cause, certainty, text }) => html`<li class="callout ${certainty === 'possible' ? '' : 'warn'}">
    <b class="cause">${cause.replaceAll('-', ' ')}</b> <span class="quiet">${CERTAINTIES[certainty]}</span><p>${sentence(text)}</p></li>`,
  )}</ul>`;
}

function canonicalView(canonicalRequest: string, { commonlyAltered }: AuthFailure): View {
  const lines = canonicalLines(canonicalRequest, commonlyAltered);
  return html`<table class="canonical"><caption class="unseen">Canonical request, line by line</caption>
    <thead class="unseen"><tr><th scope="col">What</th><th scope="col">Line</th></tr></thead>
    <tbody>${lines.map(
      ({ what, text, altered }) => html`<tr class=${altered ? 'altered' : nothing}>
      <th scope="row">${what}</th><td><code>${text === '' ? html`<span class="quiet">(empty line)</span>` : text}</code>${
        altered ? html` <span class="note">proxies often change this header</span>` : nothing
      }</td></tr>`,
    )}</tbody>
  </table>`;
}
