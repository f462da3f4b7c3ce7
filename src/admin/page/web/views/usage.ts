import { html, nothing } from 'lit-html';
import type { BucketUsage, QuotaUsage, UsageList } from '../../../usage/contract.ts';
import type { App } from '../app.ts';
import { formatBytes, formatCount, formatShare } from '../format.ts';
import { writeRoute } from '../route.ts';
import { whenLoaded } from './loaded.ts';
import { dateText, scrollingTable, type View } from './parts.ts';

/** Buckets that the overview shows; the page of buckets has them all. */
const SHOWN = 20;
/** From this share of a quota on it is shown as nearly used up; events and metrics begin there, too. */
const NEAR = 0.8;

/** What lies in buckets, the fullest first, by the last pass over each. */
export function usageCard(app: App): View {
  return html`<section class="card" aria-label="Usage">
    <h3>Usage</h3>
    ${whenLoaded(app.usage.loaded, usageTable)}
  </section>`;
}

function usageTable({ buckets }: UsageList): View {
  if (buckets.length === 0) return html`<p class="quiet">No pass has counted anything yet.</p>`;
  const fullest = [...buckets].sort((a, b) => b.bytes - a.bytes).slice(0, SHOWN);
  return scrollingTable(
    'Usage',
    html`<table class="dense">
      <thead><tr><th scope="col">Bucket</th><th scope="col">Account</th>${usageHeadings()}</tr></thead>
      <tbody>${fullest.map(
        (bucket) => html`<tr>
          <th scope="row"><a href=${writeRoute({ view: 'buckets', bucket: bucket.name })}>${bucket.name}</a></th>
          <td>${bucket.account}</td>${usageCells(bucket)}</tr>`,
      )}</tbody>
    </table>
    ${buckets.length > SHOWN ? html`<p class="quiet">and ${formatCount(buckets.length - SHOWN)} more buckets</p>` : nothing}`,
  );
}

/** Headings of `usageCells`. */
export function usageHeadings(): View {
  return html`<th scope="col" class="number">Objects</th><th scope="col" class="number">Bytes</th>
    <th scope="col" class="number">Noncurrent</th><th scope="col" class="number">Uploads</th>
    <th scope="col">Quota</th><th scope="col">Counted</th>`;
}

/** @param usage undefined: nothing is known of the bucket */
export function usageCells(usage: BucketUsage | undefined): View {
  const isCounted = usage?.at !== undefined;
  const counted = (of: (usage: BucketUsage) => string): string => (usage !== undefined && isCounted ? of(usage) : '–');
  return html`<td class="number">${counted(({ objects }) => formatCount(objects))}</td>
    <td class="number">${counted(({ bytes }) => formatBytes(bytes))}</td>
    <td class="number">${counted(({ classes }) => formatBytes(classes.reduce((sum, one) => sum + one.noncurrentBytes, 0)))}</td>
    <td class="number">${counted(({ uploads }) => formatBytes(uploads.bytes))}</td>
    <td>${usage?.quota === undefined ? html`<span class="quiet">none</span>` : quotaText(usage.quota)}</td>
    <td>${usage?.at === undefined ? html`<span class="quiet">no pass yet</span>` : dateText(Date.parse(usage.at))}</td>`;
}

/** Each limit with how much of it is used; the bar only repeats the words. */
function quotaText({ bytes, objects, usedBytes, usedObjects }: QuotaUsage): View {
  return html`${bytes === undefined ? nothing : share(usedBytes, bytes, `of ${formatBytes(bytes)}`)}
    ${objects === undefined ? nothing : share(usedObjects, objects, `of ${formatCount(objects)} objects`)}`;
}

function share(used: number, limit: number, words: string): View {
  const part = limit === 0 ? 1 : Math.min(1, used / limit);
  const state = part >= 1 ? 'full' : part >= NEAR ? 'near' : '';
  return html`<svg class="share" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect width="100" height="10"></rect><rect class="used ${state}" width=${100 * part} height="10"></rect>
    </svg> ${formatShare(used, limit)} ${words}`;
}
