import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const MODEL = readFileSync(join(ROOT, 'docs/operations/threat-model.md'), 'utf8');

/** Rows of the tables whose last column says where a threat is tried. */
function threats(text: string): string[][] {
  const rows: string[][] = [];
  let isThreats = false;
  for (const line of text.split('\n')) {
    if (!line.startsWith('|')) {
      isThreats = false;
      continue;
    }
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (cells.at(-1) === 'Tried in') isThreats = true;
    else if (isThreats && !/^-+$/.test(cells[0] ?? '')) rows.push(cells);
  }
  return rows;
}

/** In the file itself, or in a suite beside it that it runs. */
function triesSomething(name: string): boolean {
  const text = readFileSync(join(ROOT, name), 'utf8');
  const suites = [...text.matchAll(/from '\.\/([\w-]+\.ts)'/g)].map((match) =>
    readFileSync(join(ROOT, dirname(name), match[1] ?? ''), 'utf8'),
  );
  return [text, ...suites].some((source) => /\b(?:test|it)(?:\.\w+)*\(/.test(source));
}

/** What is wrong with a row; nothing when it names tests, and they are there and try something. */
function complaints(row: readonly string[]): string[] {
  const [threat = '', defence = '', tests = ''] = row;
  const named = [...tests.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
  const found = named.flatMap((name) => {
    if (!/^test\/.+\.test\.ts$/.test(name)) return [`${name} is no test`];
    if (!existsSync(join(ROOT, name))) return [`${name} is not there`];
    return triesSomething(name) ? [] : [`${name} tries nothing`];
  });
  if (row.length !== 3 || threat === '' || defence === '') {
    found.push('a row has a threat, what stands in the way, and tests');
  }
  if (named.length === 0) found.push(`nothing tries: ${threat}`);
  return found;
}

describe('the threat model', () => {
  const rows = threats(MODEL);

  test('has its tables', () => {
    expect(rows.length).toBeGreaterThan(25);
  });

  test.each(rows)('%s', (...row) => {
    expect(complaints(row)).toEqual([]);
  });

  test('would be found wrong', () => {
    const table = (tests: string): string[] =>
      threats(`| Tries | What | Tried in |\n|---|---|---|\n| x | y | ${tests} |\n`).flatMap(complaints);
    expect(table('`test/unit/house/threat-model.test.ts`')).toEqual([]);
    expect(table('by hand')).toEqual(['nothing tries: x']);
    expect(table('`test/none.test.ts`')).toEqual(['test/none.test.ts is not there']);
    expect(table('`test/support/gateway/gateway.ts`')).toEqual(['test/support/gateway/gateway.ts is no test']);
  });

  test('is what SECURITY.md leads to', () => {
    expect(readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')).toContain('(docs/operations/threat-model.md)');
  });
});
