import { html, nothing } from 'lit-html';
import type { ShownVersion } from '../../../inspector/contract.ts';
import { formatBytes, plural } from '../format.ts';
import { code, dateText, type Fact, facts, scrollingTable, type View } from './parts.ts';

/** A version or a delete marker: one line, the rest unfolds. */
export function versionView(version: ShownVersion): View {
  const { versionId, isCurrent, isDeleteMarker, visible, size, mtime } = version;
  return html`<details class="version" ?open=${isCurrent}>
    <summary>
      <code>${versionId}</code>
      ${isCurrent ? html`<span class="badge ok">current</span>` : nothing}
      ${isDeleteMarker ? html`<span class="badge aborted">delete marker</span>` : nothing}
      ${visible ? nothing : html`<span class="badge clientError">not counted</span>`}
      <span class="end quiet">${size === undefined || isDeleteMarker ? nothing : formatBytes(size)} ${mtime === undefined ? nothing : dateText(mtime)}</span>
    </summary>
    ${version.problem === undefined ? nothing : html`<p class="callout warn">${version.problem}</p>`}
    ${facts(...generalFacts(version))}
    ${named('Headers', Object.entries(version.headers))}
    ${named('Metadata', Object.entries(version.userMetadata))}
    ${named(
      'Tags',
      version.tags.map(({ key, value }) => [key, value]),
    )}
    ${named(
      'Grants',
      (version.acl ?? []).map(({ grantee, permission }) => [grantee, permission]),
    )}
    ${partTable(version.parts)}
  </details>`;
}

function generalFacts({
  etag,
  checksum,
  storageClass,
  ownerId,
  stamped,
  visible,
  lock,
  acl,
  blob,
  claim,
  isDeleteMarker,
}: ShownVersion): readonly Fact[] {
  return [
    ['ETag', code(etag)],
    [
      'Checksum',
      checksum === undefined
        ? undefined
        : html`${checksum.algorithm} <code>${checksum.value}</code> <span class="quiet">${checksum.type}</span>`,
    ],
    ['Storage class', storageClass],
    ['Owner', code(ownerId)],
    ['ACL', acl === undefined && !isDeleteMarker ? 'private to the owner' : undefined],
    ['Lock', lock === undefined ? undefined : lockText(lock)],
    [
      'Stamped',
      stamped === undefined
        ? undefined
        : stamped
          ? 'yes: it counts without the head'
          : 'no: it counts while the head names it',
    ],
    ['Claimed by its upload', claim],
    ['Counted', visible ? undefined : 'no reader sees this blob; a sweep removes it in time'],
    ['Blob', html`<code>${blob.container}</code> / <code>${blob.name}</code>`],
    ['Revision', code(blob.revision)],
  ];
}

function lockText({ mode, retainUntil, legalHold }: NonNullable<ShownVersion['lock']>): View {
  return html`${mode ?? ''} ${retainUntil === undefined ? nothing : html`until ${dateText(retainUntil)}`} ${legalHold ? 'legal hold' : nothing}`;
}

function named(title: string, entries: readonly (readonly string[])[]): View {
  if (entries.length === 0) return nothing;
  return html`<h4>${title}</h4>${facts(...entries.map(([name = '', value = '']): Fact => [name, code(value)]))}`;
}

function partTable(parts: ShownVersion['parts']): View {
  if (parts === undefined || parts.length === 0) return nothing;
  return html`<h4>${plural(parts.length, 'part')}</h4>${scrollingTable(
    'Parts',
    html`<table class="dense small">
    <thead><tr><th scope="col" class="number">Part</th><th scope="col" class="number">Size</th><th scope="col">Checksum</th></tr></thead>
    <tbody>${parts.map(
      ({ number, size, checksum }) =>
        html`<tr><th scope="row" class="number">${number}</th><td class="number">${formatBytes(size)}</td><td>${
          checksum === undefined ? '–' : code(checksum)
        }</td></tr>`,
    )}</tbody>
  </table>`,
  )}`;
}
