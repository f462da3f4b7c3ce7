import { html, nothing } from 'lit-html';
import type { App } from '../app.ts';
import type { ComparedRow, Comparison, FirstDifference } from '../compare-text.ts';
import type { Compared, ServerTexts } from '../comparer.ts';
import { codePoints, visiblePieces } from '../visible-text.ts';
import type { View } from './parts.ts';

/** Where a person pastes what their client signed. */
export function compareForm(app: App, texts: ServerTexts): View {
  return html`<div class="compare">
    <h4>Compare with your client's</h4>
    <label>
      <span>Paste the canonical request or the string to sign from your client's log. It stays in this page: nothing is sent or stored.</span>
      <textarea rows="5" spellcheck="false" autocomplete="off" autocapitalize="off"
        @paste=${(event: ClipboardEvent) => onPaste(event, app, texts)}
        @input=${(event: Event) => void app.comparer.compare((event.target as HTMLTextAreaElement).value, texts)}></textarea>
    </label>
    <div role="status">${app.comparer.result === undefined ? nothing : resultView(app.comparer.result)}</div>
  </div>`;
}

/** A text field turns carriage returns into line feeds: what is pasted into an empty one is compared as it comes. */
function onPaste(event: ClipboardEvent, app: App, texts: ServerTexts): void {
  const field = event.target as HTMLTextAreaElement;
  const text = event.clipboardData?.getData('text/plain') ?? '';
  const replacesAll = field.value === '' || (field.selectionStart === 0 && field.selectionEnd === field.value.length);
  if (!text.includes('\r') || !replacesAll) return;
  event.preventDefault();
  field.value = text;
  void app.comparer.compare(text, texts);
}

function resultView({ against, comparison, notes }: Compared): View {
  return html`${notes.map((note) => html`<p class="quiet">${note}</p>`)}
    ${comparison.equal ? equalView(against) : differenceView(against, comparison)}`;
}

function equalView(against: string): View {
  return html`<p class="callout good">Byte for byte the ${against} that this server computed: ${
    against === 'string to sign'
      ? 'the secret key is another one.'
      : 'compare the strings to sign next; if these are equal, too, the secret key is another one.'
  }</p>`;
}

function differenceView(against: string, { first, rows }: Comparison): View {
  return html`${first === undefined ? nothing : firstView(against, first)}
    <table class="canonical differences"><caption class="unseen">Line by line; characters that cannot be seen are shown as signs</caption>
      <thead class="unseen"><tr><th scope="col">Whose</th><th scope="col">Line</th></tr></thead>
      <tbody>${rows.map(rowView)}</tbody></table>`;
}

function firstView(against: string, { byte, line, column, server, pasted }: FirstDifference): View {
  return html`<p class="callout bad first-difference">First difference to the ${against} at byte ${byte} (line ${line}, column ${column}):
    the server has ${server}, yours has ${pasted}.</p>`;
}

function rowView(row: ComparedRow): View {
  switch (row.kind) {
    case 'same':
      return lineView('both', row.server);
    case 'server':
      return lineView('server', row.server);
    case 'pasted':
      return lineView('yours', row.pasted);
    case 'changed':
      return html`${changedLine('server', row.server, row.at)}${changedLine('yours', row.pasted, row.at)}`;
  }
}

function lineView(whose: string, line: View): View {
  return html`<tr class=${whose}><th scope="row">${whose}</th><td><code>${line}</code></td></tr>`;
}

/** @param at where the difference begins */
function changedLine(whose: string, line: string, at: number): View {
  const characters = codePoints(line);
  const rest =
    at < characters.length
      ? signs(characters.slice(at).join(''))
      : html`<span class="sign" title="end of the line">↵</span>`;
  return lineView(whose, html`${signs(characters.slice(0, at).join(''))}<mark>${rest}</mark>`);
}

function signs(text: string): View {
  return html`${visiblePieces(text).map(({ text: piece, name }) => (name === undefined ? piece : html`<span class="sign" title=${name}>${piece}</span>`))}`;
}
