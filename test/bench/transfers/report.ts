import { type Machine, machineLine } from '../machine.ts';
import { median } from '../measuring/measure.ts';
import type { TransferOptions } from './options.ts';

/** Of one command against one server, of each round, or why there are no figures. */
export interface Result {
  readonly transfer: string;
  readonly server: string;
  readonly seconds: number[];
  readonly calls: number[];
  /** Seconds of the server's processes. */
  readonly cpu: number[];
  /** MiB resident at most. */
  peak: number;
  error?: string;
}

export function table(results: readonly Result[], aws: string): string {
  const rows = results.map(({ transfer, server, seconds, calls, cpu, peak, error }) => [
    transfer,
    server,
    error === undefined ? `${median(seconds).toFixed(1)} s` : 'failed',
    seconds.map((each) => each.toFixed(1)).join(' '),
    error === undefined ? `${median(cpu).toFixed(2)} s CPU` : '-',
    error === undefined ? `${median(calls).toFixed(0)} calls` : '-',
    `${peak.toFixed(0)} MiB`,
  ]);
  const sorted = rows.toSorted(([a = ''], [b = '']) => a.localeCompare(b));
  const widths = [0, 1, 2, 3, 4, 5, 6].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = sorted.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${aws}\n${lines.join('\n')}\n`;
}

/** A row for each command, a column for each server. The gateway shall be ahead of every other one. */
export function markdown(
  results: readonly Result[],
  about: Machine & { readonly aws: string },
  { size, files, fileSize, rounds, latency }: TransferOptions,
): string {
  const servers = [...new Set(results.map(({ server }) => server))];
  const transfers = [...new Set(results.map(({ transfer }) => transfer))];
  const of = (transfer: string): Result[] => results.filter((result) => result.transfer === transfer);
  const rows = transfers.map((transfer) => [transfer, ...of(transfer).map(cell), verdict(of(transfer))]);
  const all = [['command', ...servers, ''], servers.concat('', '').map(() => '---'), ...rows];
  const work = `${about.aws}; ${rounds} round${rounds === 1 ? '' : 's'}, ${latency} ms to the backend, a file of ${size} MiB, ${files} files of ${fileSize} bytes`;
  const failed = results.flatMap(({ transfer, server, error }) =>
    error === undefined
      ? []
      : [`* ${transfer}, ${server}: ${error.trim().replace(/\s+/g, ' ').replaceAll('<', '&lt;')}\n`],
  );
  const lines = all.map((cells) => `| ${cells.join(' | ')} |\n`);
  return `${machineLine(about)} ${work}.\n\n${lines.join('')}${failed.length === 0 ? '' : `\n${failed.join('')}`}`;
}

function cell({ seconds, calls, cpu, peak, error }: Result): string {
  if (error !== undefined || seconds.length === 0) return 'failed';
  return `${median(seconds).toFixed(1)} s, CPU ${median(cpu).toFixed(1)} s, ${median(calls).toFixed(0)} calls, ${peak.toFixed(0)} MiB`;
}

/** The gateway's is the first. */
function verdict([own, ...others]: readonly Result[]): string {
  if (own === undefined || own.error !== undefined) return 'MISSED';
  const best = Math.min(...others.filter(({ error }) => error === undefined).map(({ seconds }) => median(seconds)));
  return median(own.seconds) <= best ? 'ahead' : `BEHIND by ${(median(own.seconds) - best).toFixed(1)} s`;
}
