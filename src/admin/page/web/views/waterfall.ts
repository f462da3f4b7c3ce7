import { html, nothing, svg } from 'lit-html';
import type { ShownCall, RequestDetail } from '../../../inspector/contract.ts';
import { formatBytes, formatDuration, plural } from '../format.ts';
import { code, scrollingTable, type View } from './parts.ts';

/** Width of the drawing, in its own units. */
const WIDTH = 1000;
/** Narrower bars would not be seen. */
const LEAST = 6;
const MOST_OF_PATH = 31;

interface Scale {
  readonly x: (ms: number) => number;
  /** Moments that are drawn through all rows. */
  readonly marks: readonly { readonly name: string; readonly ms: number }[];
  readonly endMs: number;
}

/** Calls to the cloud, one a row, where in the request's time each one was under way. */
export function waterfall(detail: RequestDetail): View {
  const { calls, total } = detail.backend;
  if (total === 0) return html`<p class="quiet">The backend was not asked.</p>`;
  const scale = scaleOf(detail);
  return html`${scrollingTable(
    'Calls to the backend',
    html`<table class="dense small waterfall">
    <thead><tr><th scope="col">Call</th><th scope="col">Status</th><th scope="col" class="bar">${legend(scale)}</th>
      <th scope="col" class="number">Start</th><th scope="col" class="number">Took</th><th scope="col" class="number">Bytes</th>
      <th scope="col">Backend's request id</th></tr></thead>
    <tbody>${calls.map((call) => callRow(call, scale))}</tbody>
  </table>`,
  )}
  ${total > calls.length ? html`<p class="quiet">${plural(total - calls.length, 'more call')} not kept one by one.</p>` : nothing}`;
}

function scaleOf({ backend: { calls }, times, summary }: RequestDetail): Scale {
  const endMs = Math.max(
    times.endMs ?? summary.durationMs,
    ...calls.map(({ startMs, durationMs }) => startMs + (durationMs ?? 0)),
    0.001,
  );
  const marks = [
    { name: 'authenticated', ms: times.authenticatedMs },
    { name: 'first byte', ms: times.firstByteMs },
  ].filter((mark): mark is { name: string; ms: number } => mark.ms !== undefined);
  return { x: (ms) => (ms / endMs) * WIDTH, marks, endMs };
}

function legend({ marks, endMs }: Scale): View {
  return html`<span>0 – ${formatDuration(endMs)}</span>${marks.map(({ name }) => html` <span class="legend ${markClass(name)}">${name}</span>`)}`;
}

type Verdict = 'good' | 'absent' | 'failed';

const TONES: Readonly<Record<Verdict, string>> = { good: 'ok', absent: '', failed: 'clientError' };

/** That something is not there is mostly what the gateway wanted to know. */
function verdictOn({ status = 0, outcome }: ShownCall): Verdict {
  if (outcome === 'notFound' || (outcome === undefined && status === 404)) return 'absent';
  return outcome === 'ok' || (outcome === undefined && status < 400) ? 'good' : 'failed';
}

function callRow(call: ShownCall, scale: Scale): View {
  const verdict = verdictOn(call);
  const { system, operation, attempt, status, outcome, startMs, durationMs, target, method, failure } = call;
  return html`<tr>
    <th scope="row">${system} ${operation}${attempt > 1 ? html` <span class="note">attempt ${attempt}</span>` : nothing}
      ${target === undefined ? nothing : html`<code class="clip quiet" title="${method ?? ''} ${target}">${tail(target)}</code>`}</th>
    <td><span class="badge ${TONES[verdict]}" title=${failure ?? nothing}>${status ?? '–'}${outcome === undefined || outcome === 'ok' ? nothing : ` ${outcome}`}</span></td>
    <td class="bar">${bar(call, verdict, scale)}</td>
    <td class="number">${formatDuration(startMs)}</td>
    <td class="number">${durationMs === undefined ? 'open' : formatDuration(durationMs)}</td>
    <td class="number">${bytes(call)}</td>
    <td>${code(call.requestId)}</td>
  </tr>`;
}

/** What a path ends with tells more than what it begins with. */
function tail(path: string): string {
  return path.length <= MOST_OF_PATH ? path : `…${path.slice(1 - MOST_OF_PATH)}`;
}

function bar({ startMs, durationMs }: ShownCall, verdict: Verdict, { x, marks, endMs }: Scale): View {
  const width = Math.max(LEAST, x(durationMs ?? endMs - startMs));
  return html`<svg viewBox="0 0 ${WIDTH} 20" preserveAspectRatio="none" aria-hidden="true">
    ${marks.map(({ name, ms }) => svg`<line class=${markClass(name)} x1=${x(ms)} x2=${x(ms)} y1="0" y2="20"></line>`)}
    <rect class="call ${verdict}" x=${Math.min(x(startMs), WIDTH - LEAST)} y="5" width=${width} height="10" rx="2"></rect>
  </svg>`;
}

function markClass(name: string): string {
  return `mark-${name.replaceAll(' ', '-')}`;
}

function bytes({ bytesSent = 0, bytesReceived = 0 }: ShownCall): View {
  const directions = [
    bytesSent > 0 ? html`<span title="sent">↑ ${formatBytes(bytesSent)}</span>` : nothing,
    bytesReceived > 0 ? html`<span title="received">↓ ${formatBytes(bytesReceived)}</span>` : nothing,
  ];
  return bytesSent + bytesReceived === 0 ? '–' : html`${directions}`;
}
