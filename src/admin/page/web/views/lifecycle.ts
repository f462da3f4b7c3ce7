import { html, nothing } from 'lit-html';
import type { BucketLifecycle, LifecycleList } from '../../../lifecycle/contract.ts';
import type { App } from '../app.ts';
import { formatCount } from '../format.ts';
import { writeRoute } from '../route.ts';
import { whenLoaded } from './loaded.ts';
import { dateText, scrollingTable, type View } from './parts.ts';

/** Buckets that the overview shows; all are in the API. */
const SHOWN = 20;
const DAY_MS = 86_400_000;
/** The chart starts a pass each night. */
const LATE_MS = 2 * DAY_MS;

/** How far lifecycle rules are behind, bucket by bucket, those first that somebody should look at. */
export function lifecycleCard(app: App): View {
  return html`<section class="card" aria-label="Lifecycle rules">
    <h3>Lifecycle rules</h3>
    ${whenLoaded(app.lifecycle.loaded, lifecycleTable)}
  </section>`;
}

function lifecycleTable({ askedAt, buckets }: LifecycleList): View {
  if (buckets.length === 0) return html`<p class="quiet">No pass has carried out rules of a bucket yet.</p>`;
  const now = Date.parse(askedAt);
  const worst = [...buckets].sort((a, b) => urgency(b, now) - urgency(a, now)).slice(0, SHOWN);
  return scrollingTable(
    'Lifecycle rules',
    html`<table class="dense"><caption class="unseen">What the last pass over each bucket has left</caption>
      <thead><tr><th scope="col">Bucket</th><th scope="col">Last pass</th><th scope="col">Left, due since</th>
        <th scope="col" class="number">Due</th><th scope="col" class="number">Done</th><th scope="col" class="number">Failed</th>
        <th scope="col" class="number">Locked</th><th scope="col" class="number">Unmovable</th><th scope="col" class="number">Changed</th></tr></thead>
      <tbody>${worst.map((bucket) => row(bucket, now))}</tbody>
    </table>
    ${buckets.length > SHOWN ? html`<p class="quiet">and ${formatCount(buckets.length - SHOWN)} more buckets</p>` : nothing}`,
  );
}

function row(bucket: BucketLifecycle, now: number): View {
  const { name, startedAt, oldestDue, due, done, failed, locked, unmovable, changed } = bucket;
  const late = isLate(bucket, now) ? html` <b>late</b>` : nothing;
  return html`<tr>
    <th scope="row"><a href=${writeRoute({ view: 'buckets', bucket: name })}>${name}</a></th>
    <td>${dateText(Date.parse(startedAt))}${late}</td>
    <td>${oldestDue === undefined ? html`<span class="quiet">nothing left</span>` : dateText(Date.parse(oldestDue))}</td>
    ${[due, done, failed, locked, unmovable, changed].map((count) => html`<td class="number">${formatCount(count)}</td>`)}
  </tr>`;
}

/** The last pass is longer ago than passes should be. */
function isLate({ startedAt }: BucketLifecycle, now: number): boolean {
  return now - Date.parse(startedAt) > LATE_MS;
}

/** Failures first, then buckets over which no pass has been for long, then by what has been due for longest. */
function urgency(bucket: BucketLifecycle, now: number): number {
  const behind = bucket.oldestDue === undefined ? 0 : Math.max(0, now - Date.parse(bucket.oldestDue));
  return (bucket.failed > 0 ? 2 : 0) * now + (isLate(bucket, now) ? now : 0) + behind;
}
