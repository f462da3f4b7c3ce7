import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Endpoint } from './data-set.ts';

/** The page that is run. */
export const PAGE = resolve(import.meta.dirname, '../../docs/operations/migration.md');
/** Folder of the programs that the page hands out. */
export const HANDED_OUT = resolve(import.meta.dirname, '../../docs/operations/examples/migration');

/** The two servers of a move, and the bucket. */
export interface Move {
  readonly old: Endpoint;
  readonly new: Endpoint;
  readonly bucket: string;
}

/** What the page has in place of servers and keys of its reader's. */
const PLACEHOLDERS: readonly (readonly [placeholder: string, valueOf: (move: Move) => string])[] = [
  ['http://127.0.0.1:8080', (move) => move.old.endpoint],
  ['OLDOLDOLDOLDOLDO0001', (move) => move.old.accessKey],
  ['old-secret-key', (move) => move.old.secretKey],
  ['http://127.0.0.1:9000', (move) => move.new.endpoint],
  ['TEAMTEAMTEAMTEAM0001', (move) => move.new.accessKey],
  ['your-secret-key', (move) => move.new.secretKey],
  ['my-bucket', ({ bucket }) => bucket],
];

/** Blocks of a language beneath a heading of the page, to the next heading, as they stand there. */
export function blocksUnder(heading: string, language: string): string[] {
  const lines = readFileSync(PAGE, 'utf8').split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  if (start === -1) throw new Error(`${PAGE} has no heading "${heading}"`);
  const length = lines.slice(start + 1).findIndex((line) => /^#+ /.test(line));
  const text = lines.slice(start + 1, length === -1 ? undefined : start + 1 + length).join('\n');
  const block = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms');
  return [...text.matchAll(block)].map(([, inside = '']) => inside);
}

/** A block with the servers, keys and bucket of a move. */
export function filledIn(block: string, move: Move): string {
  return PLACEHOLDERS.reduce((text, [placeholder, valueOf]) => text.replaceAll(placeholder, valueOf(move)), block);
}
