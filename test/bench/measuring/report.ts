import { verdicts } from './goals.ts';
import { ALL_CORES, type Measured, type PeerResult, type Side } from './measure.ts';
import { profileLines } from './profile-summary.ts';

const GIB = 1024 ** 3;

/** What the two sides are called. */
export interface Sides {
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
  `MiB ${gateway}`,
  `MiB ${other}`,
];

/** Headings, and a row of cells for each result. */
export function cellsOf(results: readonly Measured[], sides: Sides): string[][] {
  const peers = (results[0]?.peers ?? []).flatMap(({ name }) => [name, `CPU ${name}`, `p99 ${name}`, `MiB ${name}`]);
  return [[...headings(sides), ...peers], ...results.map(cells)];
}

/** The result as a table for people. */
export function table(results: readonly Measured[], sides: Sides): string {
  const rows = cellsOf(results, sides);
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  );
  const silent = results.flatMap(({ noVerdict }) =>
    noVerdict === undefined ? [] : [`!!! NO VERDICT, ${noVerdict} !!!`],
  );
  const profiles = results.flatMap(({ name, profile }) =>
    profile === undefined ? [] : [`${name}: ${profileLines(profile).join('\n  ')}`],
  );
  const behind = behindPeers(results).map((line) => `behind a peer, ${line}`);
  return `${[...lines, ...behind, ...silent, ...profiles].join('\n')}\n`;
}

function cells(result: Measured): string[] {
  const { name, connections, ratio, ratios, cutShort, goal, gateway, bare, bytes } = result;
  const told = goal === undefined ? [] : verdicts(goal, result);
  return [
    cutShort === true ? `${name} (${ratios.length} of the rounds)` : name,
    String(connections),
    ratio.toFixed(2),
    told.length === 0 ? '-' : told.map(({ wanted }) => wanted).join(', '),
    verdict(result),
    rate(gateway, bytes),
    rate(bare, bytes),
    cpu(gateway, bytes),
    cpu(bare, bytes),
    `${gateway.p99.toFixed(1)} ms`,
    `${bare.p99.toFixed(1)} ms`,
    gateway.backendCalls.toFixed(2),
    gateway.peak.toFixed(0),
    bare.peak.toFixed(0),
    ...(result.peers ?? []).flatMap((peer) => peerCells(peer, bytes)),
  ];
}

function peerCells(peer: PeerResult, bytes: number | undefined): string[] {
  if ('error' in peer) return ['refused', '-', '-', '-'];
  // Of a peer that others started nothing but its answers is known.
  const [took, peak] = peer.peak === 0 ? ['-', '-'] : [cpu(peer, bytes), peer.peak.toFixed(0)];
  return [peer.ratio.toFixed(2), took, `${peer.p99.toFixed(1)} ms`, peak];
}

/** Rows in which a peer did more than the gateway on all cores, as lines. */
export function behindPeers(results: readonly Measured[]): string[] {
  return results.flatMap(({ name, peers = [] }) => {
    const measured = peers.flatMap((peer) => ('error' in peer ? [] : [peer]));
    const own = measured.find((peer) => peer.name === ALL_CORES);
    if (own === undefined) return [];
    return measured
      .filter(({ ratio }) => ratio > own.ratio)
      .map((peer) => `${name}: ${peer.name} ${peer.ratio.toFixed(2)}, on all cores ${own.ratio.toFixed(2)}`);
  });
}

/** `met`, or what of a goal was missed and by what was found instead. */
function verdict(result: Measured): string {
  if (result.noVerdict !== undefined) return 'CORES BUSY';
  const all = verdicts(result.goal ?? {}, result);
  if (all.length === 0) return '';
  const missed = all.filter(({ isMet }) => !isMet);
  return missed.length === 0 ? 'met' : `MISSED: ${missed.map(({ found }) => found).join(', ')}`;
}

function rate(side: Side, bytes: number | undefined): string {
  return bytes === undefined ? `${side.rate.toFixed(0)}/s` : `${((side.rate * bytes) / 1e6).toFixed(0)} MB/s`;
}

function cpu(side: Pick<Side, 'cpu'>, bytes: number | undefined): string {
  return bytes === undefined ? `${(side.cpu * 1e6).toFixed(0)} us` : `${((side.cpu / bytes) * GIB).toFixed(2)} s/GiB`;
}
