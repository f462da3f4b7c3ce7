import type { Measured } from './measure.ts';
import { profileLines } from './profile-summary.ts';
import { behindPeers, cellsOf, type Sides } from './report.ts';

/** The result as a table in Markdown, with what peers said when they refused, and profiles where there are any. */
export function markdown(results: readonly Measured[], sides: Sides): string {
  const [headings = [], ...rows] = cellsOf(results, sides);
  const line = (cells: readonly string[]): string => `| ${cells.map(escaped).join(' | ')} |\n`;
  const dashes = headings.map((_, column) => (column === 0 ? '---' : '--:'));
  const table = [line(headings), `|${dashes.join('|')}|\n`, ...rows.map(line)].join('');
  return [table, goalsMet(results), behind(results), refusals(results), profiles(results)]
    .filter((text) => text !== '')
    .join('\n');
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

function behind(results: readonly Measured[]): string {
  const lines = behindPeers(results);
  return lines.length === 0 ? '' : `Behind a peer:\n\n${lines.map((line) => `* ${escaped(line)}\n`).join('')}`;
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

const FIGURES_BEGIN = '<!-- figures: npm run bench:all -- --docs -->\n';
const FIGURES_END = '\n<!-- end of figures -->';

/**
 * The page with these figures in place of those between its two marks.
 * @throws Error when it has not both marks, in their order
 */
export function withFigures(page: string, figures: string): string {
  const { from, to } = placeOfFigures(page);
  return `${page.slice(0, from)}\n${figures.trimEnd()}\n${page.slice(to)}`;
}

/**
 * The page with this section in place of the one that has the same heading, or behind the last one.
 * @param section begins with its heading, of level 3 @throws Error when the page has not both marks, in their order
 */
export function withSection(page: string, section: string): string {
  const { from, to } = placeOfFigures(page);
  const sections = page.slice(from, to).split(/^(?=### )/m);
  const heading = section.slice(0, section.indexOf('\n') + 1);
  const at = sections.findIndex((one) => one.startsWith(heading));
  sections[at < 0 ? sections.length : at] = section;
  return withFigures(page, sections.map((one) => one.trim()).join('\n\n'));
}

function placeOfFigures(page: string): { readonly from: number; readonly to: number } {
  const from = page.indexOf(FIGURES_BEGIN) + FIGURES_BEGIN.length;
  const to = page.indexOf(FIGURES_END, from);
  if (from < FIGURES_BEGIN.length || to < 0) throw new Error('the page has no place for figures');
  return { from, to };
}
