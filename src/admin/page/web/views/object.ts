import { html, nothing } from 'lit-html';
import type { InspectedHead, ObjectInspection } from '../../../inspector/contract.ts';
import type { App } from '../app.ts';
import { formatBytes, plural } from '../format.ts';
import { writeRoute } from '../route.ts';
import { code, dateText, facts, section, type View, yesNo } from './parts.ts';
import { whenLoaded } from './loaded.ts';
import { uploadView } from './upload.ts';
import { versionView } from './version.ts';

/** One key as it lies in the backend. */
export function objectPage(app: App): View {
  const { route } = app;
  if (route.view !== 'object') return nothing;
  const wanted = route.bucket !== '' && route.key !== '';
  return html`<section class="page" aria-label="Object">
    ${lookUpForm(app, route)}
    ${wanted ? whenLoaded(app.object.loaded, (inspection) => inspectionView(app, inspection)) : html`<p class="quiet">One key as it lies in the backend: its head, versions, uploads. Reading it changes nothing.</p>`}
  </section>`;
}

function lookUpForm(app: App, { bucket, key }: { readonly bucket: string; readonly key: string }): View {
  const look = (event: SubmitEvent): void => {
    event.preventDefault();
    const fields = new FormData(event.target as HTMLFormElement);
    app.lookAt(text(fields.get('bucket')), text(fields.get('key')));
  };
  // Set when the route changes and not with every request that comes: what is being typed stays.
  return html`<form class="look-up" role="search" aria-label="Look up an object" @submit=${look}>
    <label class="short"><span>Bucket</span><input name="bucket" required .value=${bucket} autocomplete="off" spellcheck="false" autocapitalize="off"></label>
    <label class="wide"><span>Key</span><input name="key" required .value=${key} autocomplete="off" spellcheck="false" autocapitalize="off"></label>
    <button>Look</button>
  </form>`;
}

function text(value: FormDataEntryValue | null): string {
  return typeof value === 'string' ? value : '';
}

function inspectionView(
  app: App,
  { bucket, key, head, versions, moreVersions, uploads, moreUploads, remarks }: ObjectInspection,
): View {
  return html`
    <header class="detail-head">
      <h2><span class="quiet">${bucket.name}/</span>${key}</h2>
      ${remarks.length === 0 ? nothing : html`<ul class="plain" aria-label="Remarks">${remarks.map((remark) => html`<li class="callout">${remark}</li>`)}</ul>`}
      <div class="actions">
        <button type="button" @click=${() => app.lookAt(bucket.name, key)}>Look again</button>
        <a class="button" href=${writeRoute({ view: 'timeline', bucket: bucket.name, key })}>Timeline</a>
        <a class="button" href=${writeRoute({ view: 'requests', filter: { bucket: bucket.name, key } })}>Its requests</a>
      </div>
    </header>
    ${section(
      'Bucket',
      facts(
        ['Versioning', bucket.versioning],
        ['Backend', bucket.backend],
        ['Container', code(bucket.container)],
        ['Owner', code(bucket.ownerId)],
      ),
    )}
    ${section('Head', head === undefined ? html`<p class="quiet">There is no blob at the name of this key.</p>` : headView(head))}
    ${section(
      plural(versions.length, 'version') + (moreVersions ? ' and more' : ''),
      html`${versions.length === 0 ? html`<p class="quiet">None.</p>` : versions.map(versionView)}`,
    )}
    ${uploads.length === 0 ? nothing : section(plural(uploads.length, 'open upload') + (moreUploads ? ' and more' : ''), html`${uploads.map(uploadView)}`)}`;
}

const HEAD_KINDS: Readonly<Record<InspectedHead['kind'], string>> = {
  inline: 'the bytes lie at the key',
  link: 'names the blob of the current version',
  assembled: 'a multipart object whose bytes still lie on a private blob',
  marker: 'delete marker',
  void: 'nothing is left; the last blob is being removed',
};

function headView({
  kind,
  blob,
  revision,
  lastModified,
  blobSize,
  native,
  version,
  nullVersion,
  adds,
  dels,
  settle,
}: InspectedHead): View {
  return facts(
    ['Kind', html`<b>${kind}</b> <span class="quiet">${HEAD_KINDS[kind]}</span>`],
    ['Blob', code(blob)],
    ['Revision', code(revision)],
    ['Last change', dateText(lastModified)],
    ['Size of the blob', formatBytes(blobSize)],
    ['Written by another tool', native ? yesNo(native) : undefined],
    ['Current version', code(version)],
    ['Null version', code(nullVersion)],
    ['Committed below it', ids(adds)],
    ['Deleted, perhaps still there', ids(dels)],
    ['Settling', settle === 'pending' ? html`<span class="badge running">pending</span>` : 'nothing to do'],
  );
}

function ids(all: readonly string[]): View | undefined {
  return all.length === 0 ? undefined : html`${all.map((id) => html`<code>${id}</code> `)}`;
}
