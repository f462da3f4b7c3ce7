import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const DOCUMENTS = readdirSync(ROOT)
  .filter((name) => name.endsWith('.md'))
  .concat(
    readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join('docs', name)),
  );
const LINK = /\]\(([^)\s]+)\)/g;
const CODE = /`([^`\n]+)`/g;
const FILE_NAME = /^(?:[\w.-]+\/)*[\w.-]+\.(?:ts|mjs|cjs)$/;
/** With slashes in front, so that a file may be named by the end of its path: `head.ts`, `manifest/head.ts`. */
const SOURCES = ['src', 'adapters', 'config', 'helm', 'test', '.ci']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `/${folder}/${name}`),
  )
  .concat(readdirSync(ROOT).map((name) => `/${name}`));

describe.each(DOCUMENTS)('%s', (document) => {
  const text = readFileSync(join(ROOT, document), 'utf8');

  test('links to files and headings that exist', () => {
    const links = [...text.matchAll(LINK)].map((match) => match[1] ?? '').filter((link) => !/^[a-z]+:/.test(link));
    expect(links.filter((link) => !linkHolds(document, link))).toEqual([]);
  });

  test('names source files that exist', () => {
    const names = [...text.matchAll(CODE)]
      .map((match) => match[1] ?? '')
      .filter((code) => FILE_NAME.test(code) && !code.startsWith('./'));
    expect(names.filter((name) => !SOURCES.some((source) => source.endsWith(`/${name}`)))).toEqual([]);
  });

  test('names npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const named = [...text.matchAll(/\bnpm run (?:-s )?([a-z][\w:-]*)/g)].map((match) => match[1] ?? '');
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

test('comments have lines of at most 120 characters, which the formatter does not break', () => {
  const long = SOURCES.filter((source) => /\.(ts|mjs)$/.test(source)).flatMap((source) =>
    readFileSync(join(ROOT, source), 'utf8')
      .split('\n')
      .filter((line) => line.length > 120 && /^\s*(\/\/|\*|\/\*)/.test(line) && !/https?:/.test(line))
      .map((line) => `${source}: ${line}`),
  );
  expect(long).toEqual([]);
});

test('the index of the decision records names each by its title', () => {
  const folder = join(ROOT, 'docs/decisions');
  const records = readdirSync(folder)
    .filter((name) => /^\d{4}-/.test(name))
    .toSorted();
  const rows = records.map((name) => {
    const [, number = '', title = ''] = /^# (\d{4}): (.+)$/m.exec(readFileSync(join(folder, name), 'utf8')) ?? [];
    return `| [${number}](${name}) | ${title} |`;
  });
  const index = readFileSync(join(folder, 'README.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| \[\d{4}\]/.test(line));
  expect(index).toEqual(rows);
});

test('ARCHITECTURE says of functions where they are', () => {
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const [, section = ''] = /^## Where to look$(.*?)^## /ms.exec(text) ?? [];
  const rows = [...section.matchAll(/^\| .* \| `([^`]+)` \| (.*) \|$/gm)];
  expect(rows.length).toBeGreaterThan(10);
  const missing = rows.flatMap(([, file = '', functions = '']) => {
    const source = readFileSync(join(ROOT, /^(adapters|config|helm)\//.test(file) ? file : `src/${file}`), 'utf8');
    return [...functions.matchAll(CODE)]
      .map(([, name = '']) => name)
      .filter((name) => !new RegExp(`^export (async )?(function|class|const) ${name}\\b`, 'm').test(source))
      .map((name) => `${file}: ${name}`);
  });
  expect(missing).toEqual([]);
});

function linkHolds(document: string, link: string): boolean {
  const [path = '', heading] = link.split('#');
  const target = path === '' ? join(ROOT, document) : join(ROOT, dirname(document), path);
  if (relative(ROOT, target).startsWith('..') || !existsSync(target)) return false;
  return heading === undefined || headingsOf(target).has(heading);
}

/** As GitHub names them: lower case, punctuation dropped, spaces to dashes. */
function headingsOf(file: string): ReadonlySet<string> {
  const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map((match) => match[1] ?? '');
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
