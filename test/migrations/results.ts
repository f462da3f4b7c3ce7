import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { MIGRATIONS, type Migration } from './migrations.ts';
import { PAGE } from './page.ts';
import type { Difference } from './seen.ts';

const FILE = resolve(import.meta.dirname, 'results.json');
const SECTION = '## What was run';

/** What became of a migration when it was last run. */
export interface Result {
  readonly date: string;
  /** Of the old server and of the tools. */
  readonly versions: string;
  /** What was compared. */
  readonly compared: string;
  /** Absent: everything was as the page says. */
  readonly failure?: string;
}

/** By the names of migrations. */
type Results = Readonly<Record<string, Result>>;

/** What was kept of earlier runs. */
export function readResults(): Results {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Results;
}

/** Keeps what became of a migration, and writes the section of the page anew. */
export function keepResult(name: string, result: Result): void {
  const results = { ...readResults(), [name]: result };
  const known = MIGRATIONS.flatMap(({ name: one }) => (results[one] === undefined ? [] : [[one, results[one]]]));
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(known), undefined, 2)}\n`);
  const text = readFileSync(PAGE, 'utf8');
  writeFileSync(PAGE, text.slice(0, text.indexOf(SECTION)) + renderSection(results));
}

const INTRODUCTION = `${SECTION}

Made by \`npm run test:migrations -- --write\`; do not edit.

Each row was run over Azurite, with the commands above as they stand: only endpoints, keys and the bucket were
replaced. Every object was read before and after: bytes, content headers, user metadata, tags, storage class, ETag and
Last-Modified were compared. What differs is named; everything else was the same. "At once" is before any command of
this page. No real account was used.

| Coming from | Versions | Compared | Differs at once | Differs behind the commands | Result |
|---|---|---|---|---|---|
`;

/** The last section of the page. */
export function renderSection(results: Results): string {
  const rows = MIGRATIONS.map((migration) => {
    const { name, title } = migration;
    const result = results[name];
    const outcome = result === undefined ? 'not run' : `${result.failure ?? 'ok'}, ${result.date}`;
    const [atOnce, behind] = differencesOf(migration);
    return `| ${title} | ${result?.versions ?? ''} | ${result?.compared ?? ''} | ${atOnce} | ${behind} | ${outcome} |`;
  });
  return `${INTRODUCTION}${rows.join('\n')}\n`;
}

function differencesOf(migration: Migration): [atOnce: string, behind: string] {
  if (migration.kind === 'by copy') return ['', said(texts(migration.copied))];
  const hidden = migration.hidden.length === 0 ? [] : ['keys that are [hidden](#what-carries-over)'];
  const atOnce = said([...hidden, ...texts(migration.adopted)]);
  return [atOnce, migration.sections.length === 0 ? 'no command was run' : said(texts(migration.carried))];
}

function texts(differences: readonly Difference[]): string[] {
  return differences.map(({ says }) => says);
}

function said(differences: readonly string[]): string {
  return differences.length === 0 ? 'nothing' : differences.join('; ');
}
