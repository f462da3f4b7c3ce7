import { html, nothing, svg } from 'lit-html';
import type { RequestDetail } from '../../../inspector/contract.ts';
import { REQUEST_FIELDS } from '../../../inspector/request-fields.ts';
import { formatDuration } from '../format.ts';
import { fieldFacts } from './field-facts.ts';
import { facts, type View } from './parts.ts';

const WIDTH = 1000;

/** Where the time went. */
export function timesView({ times, summary }: RequestDetail): View {
  const endMs = times.endMs ?? summary.durationMs;
  return html`${phases(times, endMs)}${facts(...fieldFacts(REQUEST_FIELDS, 'time', times))}`;
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
