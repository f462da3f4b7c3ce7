import { html } from 'lit-html';
import type { ShownUpload } from '../../../inspector/contract.ts';
import { formatBytes, plural } from '../format.ts';
import { writeRoute } from '../route.ts';
import { code, dateText, facts, scrollingTable, type View } from './parts.ts';

/** A multipart upload that is neither completed nor aborted. */
export function uploadView({
  uploadId,
  becomes,
  claim,
  initiated,
  ownerId,
  initiator,
  storageClass,
  checksum,
  parts,
  moreParts,
}: ShownUpload): View {
  return html`<details class="version">
    <summary><code>${uploadId}</code><span class="end quiet">${plural(parts.length, 'part')}${moreParts ? ' and more' : ''}, ${dateText(initiated)}</span></summary>
    ${facts(
      ['Becomes version', code(becomes)],
      ['Claimed for', claim],
      ['Owner', code(ownerId)],
      ['Initiated by', initiator],
      ['Storage class', storageClass],
      ['Checksum', checksum === undefined ? undefined : `${checksum.algorithm} ${checksum.type}`],
      ['What happened to it', html`<a href=${writeRoute({ view: 'timeline', uploadId })}>timeline of this upload</a>`],
    )}
    ${scrollingTable(
      'Parts',
      html`<table class="dense small">
      <thead><tr><th scope="col" class="number">Part</th><th scope="col" class="number">Size</th><th scope="col">ETag</th><th scope="col">Checksum</th><th scope="col">Stored</th></tr></thead>
      <tbody>${parts.map(
        (
          part,
        ) => html`<tr><th scope="row" class="number">${part.number}</th><td class="number">${formatBytes(part.size)}</td><td>${code(part.etag)}</td>
        <td>${part.checksum === undefined ? '–' : code(part.checksum)}</td><td>${dateText(part.mtime)}</td></tr>`,
      )}</tbody>
    </table>`,
    )}
  </details>`;
}
