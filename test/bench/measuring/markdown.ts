import type { Measured } from './measure.ts';
import { profileLines } from './profile-summary.ts';
import { cellsOf, type Sides } from './report.ts';

/** The result as a table in Markdown, with what peers said when they refused, and profiles where there are any. */
export function markdown(results: readonly Measured[], sides: Sides): string {
  const [headings = [], ...rows] = cellsOf(results, sides);
  const line = (cells: readonly string[]): string => `| ${cells.map(escaped).join(' | ')} |\n`;
  const dashes = headings.map((_, column) => (column === 0 ? '---' : '--:'));
  const table = [line(headings), `|${dashes.join('|')}|\n`, ...rows.map(line)].join('');
  return [table, goalsMet(results), refusals(results), profiles(results)].filter((text) => text !== '').join('\n');
}

function escaped(cell: string): string {
  return cell.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function goalsMet(results: readonly Measured[]): string {
  const [, ...rows] = cellsOf(results, { gateway: '', other: '' });
  const told = rows.map(([, , , , verdict = '']) => verdict).filter((verdict) => verdict !== '');
  if (told.length === 0) return '';
  return `${told.filter((verdict) => verdict === 'met').length} of ${told.length} rows with a goal met it.\n`;
}

function refusals(results: readonly Measured[]): string {
  const lines = results.flatMap(({ name, peers = [] }) =>
    peers.flatMap((peer) =>
      'error' in peer ? [`* ${name}, ${peer.name} refused: ${escaped(reasonOf(peer.error))}\n`] : [],
    ),
  );
  return lines.join('');
}

/** The first line of an answer, and S3's code. */
function reasonOf(error: string): string {
  const [first = ''] = error.split(/\r?\n/);
  const code = /<Code>([^<]+)</.exec(error)?.[1];
  return code === undefined ? first : `${first}, ${code}`;
}

function profiles(results: readonly Measured[]): string {
  const lines = results.flatMap(({ name, profile }) => {
    if (profile === undefined) return [];
    const [folders, functions] = profileLines(profile);
    return [`* **${name}**, the serving thread ${folders}.\n  Functions by themselves: ${functions}.\n`];
  });
  return lines.length === 0 ? '' : `Profiles, one round more of each:\n\n${lines.join('')}`;
}
