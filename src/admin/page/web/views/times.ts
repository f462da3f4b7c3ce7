import { html, nothing, svg } from 'lit-html';
import type { RequestDetail } from '../../../inspector/contract.ts';
import { formatDuration } from '../format.ts';
import { facts, type View } from './parts.ts';

const WIDTH = 1000;

/** Where the time went. */
export function timesView({ times, summary }: RequestDetail): View {
  const { authenticatedMs, authorisedMs, firstByteMs, endMs, blockedOnClientMs, blockedOnBackendMs } = times;
  return html`${phases(times, endMs ?? summary.durationMs)}${facts(
    ['Authenticated', since(authenticatedMs)],
    ['Authorised', since(authorisedMs)],
    ['First byte of the answer', since(firstByteMs)],
    ['End', since(endMs)],
    ['Blocked on the client', duration(blockedOnClientMs)],
    ['Blocked on the backend', duration(blockedOnBackendMs)],
  )}`;
}

/** From one moment to the next that it came to. */
function phases({ authenticatedMs, authorisedMs, firstByteMs }: RequestDetail['times'], endMs: number): View {
  const moments = (
    [
      ['signature', authenticatedMs],
      ['permission', authorisedMs],
      ['work', firstByteMs],
      ['answer', endMs],
    ] as const
  ).filter((moment): moment is [(typeof moment)[0], number] => moment[1] !== undefined);
  if (moments.length < 2 || endMs <= 0) return nothing;
  let from = 0;
  const parts = moments.map(([name, to]) => {
    const part = { name, from, ms: Math.max(0, to - from) };
    from = Math.max(from, to);
    return part;
  });
  return html`<div class="phases">
    <svg viewBox="0 0 ${WIDTH} 12" preserveAspectRatio="none" aria-hidden="true">${parts.map(
      (part) =>
        svg`<rect class="phase-${part.name}" x=${(part.from / endMs) * WIDTH} y="0" width=${(part.ms / endMs) * WIDTH} height="12"></rect>`,
    )}</svg>
    <ul class="plain">${parts.map(({ name, ms }) => html`<li class="legend phase-${name}">${name} <span class="quiet">${formatDuration(ms)}</span></li>`)}</ul>
  </div>`;
}

function since(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : `after ${formatDuration(ms)}`;
}

function duration(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : formatDuration(ms);
}
