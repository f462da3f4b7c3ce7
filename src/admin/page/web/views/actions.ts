import { html, nothing } from 'lit-html';
import type { RequestDetail } from '../../../inspector/contract.ts';
import { apiUrl } from '../api.ts';
import type { App } from '../app.ts';
import { asAwsCli } from '../copy/as-aws-cli.ts';
import { asCurl } from '../copy/as-curl.ts';
import { writeRoute } from '../route.ts';
import type { View } from './parts.ts';

export function actions(app: App, detail: RequestDetail): View {
  const copied =
    detail.request.ownHost === true
      ? 'Copied, without credentials'
      : 'Copied. The Host header names no host of the configuration: set AWS_ENDPOINT_URL';
  return html`<div class="actions">
    ${copyButton(app, { name: 'Copy as curl', command: asCurl(detail), copied })}
    ${copyButton(app, { name: 'Copy as aws-cli', command: asAwsCli(detail), copied })}
    <a class="button" href=${apiUrl(`${detail.summary.href}/bundle`)} download="request-${detail.summary.id}.json" title="All of this as JSON, for a ticket; no credentials">Support bundle</a>
  </div>`;
}

interface CopyButton {
  readonly name: string;
  readonly command: string | undefined;
  /** What is said when it has been copied. */
  readonly copied: string;
}

/** The command stands in the tooltip, so that one sees what one will paste. */
function copyButton(app: App, { name, command, copied }: CopyButton): View {
  if (command === undefined) return nothing;
  const copy = async (): Promise<void> => {
    app.say((await copyText(command)) ? copied : 'This browser does not let the page copy');
  };
  return html`<button type="button" title=${command} @click=${copy}>${name}</button>`;
}

export function links({ classification: { bucket, key, uploadId } }: RequestDetail): View {
  if (bucket === undefined || key === undefined) return nothing;
  return html`<ul class="plain links">
    <li><a href=${writeRoute({ view: 'object', bucket, key })}>This object as it is now</a></li>
    <li><a href=${writeRoute({ view: 'timeline', bucket, key })}>Timeline of this key</a></li>
    ${uploadId === undefined ? nothing : html`<li><a href=${writeRoute({ view: 'timeline', uploadId })}>Timeline of this upload</a></li>`}
  </ul>`;
}

/**
 * Browsers offer the clipboard to secure origins only; elsewhere the old way still works. Resolves to whether it was
 * copied.
 */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const carrier = document.createElement('textarea');
  carrier.value = text;
  carrier.className = 'unseen';
  const before = document.activeElement;
  document.body.append(carrier);
  carrier.select();
  // oxlint-disable-next-line typescript/no-deprecated -- no other way without a secure origin
  const copied = document.execCommand('copy');
  carrier.remove();
  if (before instanceof HTMLElement) before.focus();
  return copied;
}
