import type { Measured, Side } from './measure.ts';

const GIB = 1024 ** 3;
/** What the two sides are called. */
interface Sides {
  readonly gateway: string;
  readonly other: string;
}

const headings = ({ gateway, other }: Sides): string[] => [
  'work',
  'conn',
  'ratio',
  'goal',
  '',
  gateway,
  other,
  `CPU ${gateway}`,
  `CPU ${other}`,
  `p99 ${gateway}`,
  `p99 ${other}`,
  'calls',
  'peak MiB',
];

/** The result as a table for people. */
export function table(
  results: readonly Measured[],
  sides: Sides = { gateway: 'gateway', other: 'bare proxy' },
): string {
  const titles = [...headings(sides), ...(results[0]?.peers ?? []).flatMap(({ name }) => [name, `p99 ${name}`])];
  const rows = [titles, ...results.map(cells)];
  const widths = titles.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  );
  const silent = results.flatMap(({ noVerdict }) =>
    noVerdict === undefined ? [] : [`!!! NO VERDICT, ${noVerdict} !!!`],
  );
  return `${[...lines, ...silent].join('\n')}\n`;
}

function cells(result: Measured): string[] {
  const { name, connections, ratio, goal, gateway, bare, bytes } = result;
  return [
    name,
    String(connections),
    ratio.toFixed(2),
    goal?.toFixed(2) ?? '-',
    verdict(result),
    rate(gateway, bytes),
    rate(bare, bytes),
    cpu(gateway, bytes),
    cpu(bare, bytes),
    `${gateway.p99.toFixed(1)} ms`,
    `${bare.p99.toFixed(1)} ms`,
    gateway.backendCalls.toFixed(2),
    gateway.peak.toFixed(0),
    ...(result.peers ?? []).flatMap((peer) =>
      'error' in peer ? ['refused', '-'] : [peer.ratio.toFixed(2), `${peer.p99.toFixed(1)} ms`],
    ),
  ];
}

function verdict({ ratio, goal, noVerdict }: Measured): string {
  if (noVerdict !== undefined) return 'CORES BUSY';
  if (goal === undefined) return '';
  return ratio >= goal ? 'met' : 'MISSED';
}

function rate(side: Side, bytes: number | undefined): string {
  return bytes === undefined ? `${side.rate.toFixed(0)}/s` : `${((side.rate * bytes) / 1e6).toFixed(0)} MB/s`;
}

function cpu(side: Side, bytes: number | undefined): string {
  return bytes === undefined ? `${(side.cpu * 1e6).toFixed(0)} us` : `${((side.cpu / bytes) * GIB).toFixed(2)} s/GiB`;
}
