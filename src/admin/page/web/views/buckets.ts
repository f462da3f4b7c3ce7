import { html, nothing } from 'lit-html';
import type { BucketList, KeyList, ShownEntry } from '../../../inspector/contract.ts';
import type { App } from '../app.ts';
import { formatBytes } from '../format.ts';
import { type BucketsRoute, writeRoute } from '../route.ts';
import { whenLoaded } from './loaded.ts';
import { code, dateText, scrollingTable, type View } from './parts.ts';
import { usageCells, usageHeadings } from './usage.ts';

/** All buckets, or a page of one: prefixes, keys, and versions if asked for. Looking changes nothing. */
export function bucketsPage(app: App): View {
  const { route } = app;
  if (route.view !== 'buckets') return nothing;
  return html`<section class="page" aria-label="Buckets">
    ${
      route.bucket === undefined
        ? whenLoaded(app.buckets.loaded, (list) => bucketTable(app, list, route))
        : html`${bucketHead(route, route.bucket)}${whenLoaded(app.keys.loaded, (list) => keyTable(list, route))}`
    }
  </section>`;
}

function bucketTable(app: App, { buckets, more }: BucketList, route: BucketsRoute): View {
  const usageOf = new Map(app.usage.value?.buckets.map((usage) => [usage.name, usage]));
  const last = buckets.at(-1);
  const next = more && last !== undefined ? { ...route, after: last.name } : undefined;
  return html`<h2>Buckets</h2>
    <p class="quiet">Of all accounts and backends. Nothing that is shown here can be changed here.</p>
    ${
      buckets.length === 0
        ? html`<p class="quiet">There are none${route.after === undefined ? '' : ' behind this name'}.</p>`
        : scrollingTable(
            'Buckets',
            html`<table class="dense">
              <thead><tr><th scope="col">Bucket</th><th scope="col">Account</th><th scope="col">Backend</th><th scope="col">Created</th>${usageHeadings()}</tr></thead>
              <tbody>${buckets.map(
                ({ name, account, backend, createdAt }) => html`<tr>
                  <th scope="row"><a href=${writeRoute({ view: 'buckets', bucket: name })}>${name}</a></th>
                  <td>${account}</td><td>${backend}</td><td>${dateText(createdAt)}</td>${usageCells(usageOf.get(name))}</tr>`,
              )}</tbody>
            </table>`,
          )
    }
    ${pager(route, next)}`;
}

/** The way to here, each step a link, and what else can be seen of the bucket. */
function bucketHead(route: BucketsRoute, bucket: string): View {
  const { prefix = '', versions } = route;
  const shared = { view: 'buckets', bucket, ...(versions !== undefined && { versions }) } as const;
  const steps = stepsOf(prefix);
  const other: BucketsRoute = { view: 'buckets', bucket, ...(prefix !== '' && { prefix }) };
  return html`<h2 class="crumbs"><a href=${writeRoute({ view: 'buckets' })}>Buckets</a> /
      <a href=${writeRoute(shared)}>${bucket}</a> /
      ${steps.map(({ text, upTo }) => html`<a href=${writeRoute({ ...shared, prefix: upTo })}>${text}</a>`)}
    </h2>
    <p class="actions">
      <a class="button" aria-current=${versions === undefined ? 'true' : nothing} href=${writeRoute(other)}>Keys</a>
      <a class="button" aria-current=${versions === undefined ? nothing : 'true'} href=${writeRoute({ ...other, versions: 'true' })}>Versions</a>
      <a class="button" href=${writeRoute({ view: 'requests', filter: { bucket } })}>Its requests</a>
    </p>`;
}

/** `a/b/` has the steps `a/` and `b/`. */
function stepsOf(prefix: string): { readonly text: string; readonly upTo: string }[] {
  const pieces = prefix.match(/[^/]*\/|[^/]+$/g) ?? [];
  return pieces.map((text, index) => ({ text, upTo: pieces.slice(0, index + 1).join('') }));
}

function keyTable({ bucket, entries, next, nextVersion, versioning }: KeyList, route: BucketsRoute): View {
  if (bucket !== route.bucket) return html`<p class="quiet" role="status">Loading…</p>`;
  const following =
    next === undefined
      ? undefined
      : { ...withoutPlace(route), after: next, ...(nextVersion !== undefined && { afterVersion: nextVersion }) };
  return html`<p class="quiet">Versioning: ${versioning}. A key leads to all that lies in the backend for it.</p>
    ${
      entries.length === 0
        ? html`<p class="quiet">Nothing ${next === undefined ? 'more' : 'on this page'}.</p>`
        : scrollingTable(
            'Keys',
            html`<table class="dense">
              <thead><tr><th scope="col">Key</th>${route.versions === undefined ? nothing : html`<th scope="col">Version</th>`}
                <th scope="col" class="number">Size</th><th scope="col">Last change</th><th scope="col">Storage class</th></tr></thead>
              <tbody>${entries.map((entry) => entryRow(bucket, entry, route))}</tbody>
            </table>`,
          )
    }
    ${pager(route, following)}`;
}

function entryRow(bucket: string, entry: ShownEntry, route: BucketsRoute): View {
  const { kind, key, versionId, isLatest, size, mtime, storageClass } = entry;
  const { prefix = '', versions } = route;
  const shown = key.startsWith(prefix) ? key.slice(prefix.length) : key;
  const to =
    kind === 'prefix'
      ? writeRoute({ ...withoutPlace(route), prefix: key })
      : writeRoute({ view: 'object', bucket, key });
  return html`<tr>
    <td class="key"><a href=${to} title=${key}>${shown === '' ? key : shown}</a></td>
    ${
      versions === undefined
        ? nothing
        : html`<td>${code(versionId)} ${isLatest === true ? html`<span class="badge ok">current</span>` : nothing}
            ${kind === 'marker' ? html`<span class="badge aborted">delete marker</span>` : nothing}</td>`
    }
    <td class="number">${size === undefined ? nothing : formatBytes(size)}</td>
    <td>${mtime === undefined ? nothing : dateText(mtime)}</td>
    <td>${storageClass ?? (kind === 'object' || kind === 'version' ? 'STANDARD' : nothing)}</td>
  </tr>`;
}

/** Without where its page begins. */
function withoutPlace({ after: _after, afterVersion: _version, ...route }: BucketsRoute): BucketsRoute {
  return route;
}

function pager(route: BucketsRoute, next: BucketsRoute | undefined): View {
  if (route.after === undefined && next === undefined) return nothing;
  return html`<nav class="pager" aria-label="Pages">
    ${route.after === undefined ? nothing : html`<a class="button" href=${writeRoute(withoutPlace(route))}>First page</a>`}
    ${next === undefined ? nothing : html`<a class="button" href=${writeRoute(next)}>Next page</a>`}
  </nav>`;
}
