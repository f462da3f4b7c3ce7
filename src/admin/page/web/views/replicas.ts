import { html, nothing } from 'lit-html';
import type { ConnectionsInUse, ReplicaState } from '../../../inspector/contract.ts';
import type { App } from '../app.ts';
import { formatBytes, formatDate, formatDuration, plural } from '../format.ts';
import type { View } from './parts.ts';

/** Every replica the one asked knows of: up, or dead and why. */
export function replicaChips(app: App): View {
  const states = statesIn(app);
  if (states.length === 0) return html`<div class="replicas"></div>`;
  const sorted = [...states].sort((a, b) => Number(b.own) - Number(a.own) || a.id.localeCompare(b.id));
  return html`<ul class="replicas" aria-label="Replicas">${sorted.map(chip)}</ul>`;
}

/** As they were told of last: by the overview while it is shown, else by the stream of requests. */
function statesIn({ route, overview, replicas, settings }: App): readonly ReplicaState[] {
  if (route.view === 'overview' && overview.value !== undefined) return overview.value.replicas;
  return replicas.size > 0 ? [...replicas.values()] : (settings.value?.replicas ?? []);
}

function chip(replica: ReplicaState): View {
  const { id, up, reason, inFlight, own } = replica;
  return html`<li class="chip ${up ? 'up' : 'down'}" title=${describe(replica)}>
    <span class="dot" aria-hidden="true"></span>${id}${own ? html`<span class="unseen"> (this one)</span>` : nothing}
    <span class="quiet">${up ? running(inFlight) + waiting(replica) : `down${reason === undefined ? '' : `: ${reason}`}`}</span>
  </li>`;
}

function running(inFlight: number | undefined): string {
  return inFlight === undefined ? '' : `${inFlight} running`;
}

/** Requests that wait for a connection to a backend, of which others hold all. */
function waiting({ connections = [] }: ReplicaState): string {
  const count = connections.reduce((sum, lane) => sum + lane.waiting, 0);
  return count === 0 ? '' : `, ${count} waiting for the backend`;
}

function describeLane({ backend, lane, places, inUse, holders }: ConnectionsInUse): string {
  const most = holders.map(({ holder, inUse: own, waiting: more }) =>
    more === 0 ? `${holder}: ${own}` : `${holder}: ${own} and ${more} waiting`,
  );
  return `${backend} ${lane}: ${inUse} of ${places} in use (${most.join(', ')})`;
}

function describe(replica: ReplicaState): string {
  return [describeProcess(replica), ...(replica.connections ?? []).map(describeLane)].join('\n');
}

function describeProcess({ own, address, started, version, kept, keptBytes, maxBytes, slowMs }: ReplicaState): string {
  return [
    own ? 'serves this page' : address,
    version === undefined ? undefined : `version ${version}`,
    started === undefined ? undefined : `since ${formatDate(started)}`,
    kept === undefined ? undefined : `keeps ${plural(kept, 'request')}`,
    keptBytes === undefined || maxBytes === undefined
      ? undefined
      : `${formatBytes(keptBytes)} of ${formatBytes(maxBytes)}`,
    slowMs === undefined ? undefined : `slow from ${formatDuration(slowMs)}`,
  ]
    .filter((text) => text !== undefined)
    .join(', ');
}
