import { terminalText } from '../../observe/written-text.ts';
import type { ReplicaState, RequestSummary, StreamEvents } from '../../admin/inspector/contract.ts';

interface LineOptions {
  readonly colours: boolean;
  /** There are several: each line says whose it is. */
  readonly nameReplica: boolean;
}

const COLOURS: Readonly<Record<RequestSummary['outcome'], string>> = {
  running: '2',
  ok: '32',
  clientError: '33',
  serverError: '31',
  aborted: '35',
};
const MAX_TARGET = 100;
const MIB = 1024 * 1024;

/**
 * One request in one line: when, what came of it, what it was, how long it took, on what, who, and where to look
 * further.
 */
export function requestLine(request: RequestSummary, { colours, nameReplica }: LineOptions): string {
  const {
    arrived,
    outcome,
    status,
    code = '',
    operation,
    method,
    durationMs,
    slow,
    backendCalls,
    bytesIn,
    bytesOut,
    identity,
    id,
    replica,
    deniedBy,
  } = request;
  const colour = COLOURS[outcome];
  const words = [
    new Date(arrived).toISOString().slice(11, 23),
    paint(`${status ?? (outcome === 'aborted' ? 'gone' : '...')}`.padEnd(4), colour, colours),
    terminalText(operation ?? method).padEnd(24),
    paint(durationText(durationMs).padStart(8), slow ? '1;33' : '', colours),
    (backendCalls === 1 ? '1 call' : `${backendCalls} calls`).padStart(9),
    sizeText(Math.max(bytesIn, bytesOut)).padStart(8),
    targetText(request),
    terminalText(identity ?? 'anonymous'),
    paint(terminalText(deniedBy === undefined ? code : `${code} by ${deniedBy}`), colour, colours),
    paint(terminalText(nameReplica ? `${id} ${replica}` : id), '2', colours),
  ];
  return words.filter((word) => word !== '').join('  ');
}

export function replicaLine({ id, up, reason, own }: ReplicaState): string | undefined {
  if (own) return undefined;
  return terminalText(
    up ? `-- replica ${id} is there` : `-- replica ${id} is not reached: ${reason ?? 'no reason given'}`,
  );
}

export function lostLine({ replica, count }: StreamEvents['lost']): string {
  return terminalText(`-- ${count} events were lost on the way from ${replica}: they came faster than they were read`);
}

function targetText({ bucket, key, target }: RequestSummary): string {
  const text = terminalText(bucket === undefined ? target : key === undefined ? bucket : `${bucket}/${key}`);
  return text.length <= MAX_TARGET ? text : `${text.slice(0, MAX_TARGET - 1)}…`;
}

function durationText(ms: number): string {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}

function sizeText(bytes: number): string {
  if (bytes >= MIB) return `${(bytes / MIB).toFixed(1)}M`;
  return bytes >= 1024 ? `${(bytes / 1024).toFixed(1)}K` : `${bytes}B`;
}

const ESCAPE = '\u001b[';

function paint(text: string, colour: string, colours: boolean): string {
  return colours && colour !== '' && text !== '' ? `${ESCAPE}${colour}m${text}${ESCAPE}0m` : text;
}
