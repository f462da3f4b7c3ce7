import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ELSEWHERE } from '../../wire/spec/elsewhere.ts';
import { OUTSIDE, RULES, type RuleId } from '../../wire/spec/rules.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PAGE = join(ROOT, 'docs/rules.md');
const SPEC = 'test/wire/spec';

const INTRODUCTION = `# Rules of nine operations

UploadPartCopy, PutObjectAcl, GetObjectAcl, ListParts, CopyObject, DeleteObject, GetObjectTagging, DeleteObjectTagging
and AbortMultipartUpload were specified; this page names a test for everything that the specification says. \`From\`: its
section; \`S3\` where it is silent and the API reference of S3, or what S3 was seen to do, was followed; \`ours\` where the
two differ or are both silent.

Made from \`test/wire/spec/rules.ts\` and the tests by \`npx vitest run test/unit/house/rules.test.ts --update\`; do not
edit.
`;

interface Shown {
  readonly file: string;
  readonly title: string;
}

/** `rule('id', 'title')` and `rule(['id', 'id'], 'title')` as they are written. */
const CALL = /\brule\(\s*(\[[^\]]*\]|'[^']*'),\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"),?\s*\)/g;

/** Tests that name a rule, by its id. */
function namedTests(): ReadonlyMap<string, readonly Shown[]> {
  const tests = new Map<string, Shown[]>();
  const add = (id: string, shown: Shown): void => void tests.set(id, [...(tests.get(id) ?? []), shown]);
  for (const name of readdirSync(join(ROOT, SPEC))
    .filter((entry) => entry.endsWith('.test.ts'))
    .sort()) {
    for (const [, ids = '', single, double = ''] of readFileSync(join(ROOT, SPEC, name), 'utf8').matchAll(CALL)) {
      for (const [, id = ''] of ids.matchAll(/'([^']*)'/g)) {
        add(id, { file: `${SPEC}/${name}`, title: (single ?? double).replaceAll('\\', '') });
      }
    }
  }
  for (const [id, places] of Object.entries(ELSEWHERE)) for (const place of places) add(id, place);
  return tests;
}

const TESTS = namedTests();
const RULE_IDS = Object.keys(RULES) as RuleId[];

test('every rule has a test', () => {
  expect(RULE_IDS.filter((id) => !TESTS.has(id))).toEqual([]);
});

test('every test of a rule names one that exists', () => {
  expect([...TESTS.keys()].filter((id) => !Object.hasOwn(RULES, id))).toEqual([]);
});

test('every call of rule() can be read from the source', () => {
  const unread = readdirSync(join(ROOT, SPEC))
    .filter((name) => name.endsWith('.test.ts'))
    .filter((name) => {
      const source = readFileSync(join(ROOT, SPEC, name), 'utf8');
      return source.match(/\brule\(/g)?.length !== source.match(CALL)?.length;
    });
  expect(unread).toEqual([]);
});

test('tests elsewhere are there', () => {
  const missing = Object.values(ELSEWHERE)
    .flat()
    .filter(({ file, title }) => !readFileSync(join(ROOT, file), 'utf8').includes(`'${title}'`));
  expect(missing).toEqual([]);
});

test('the page of the rules says what rules and tests say', async () => {
  const rows = RULE_IDS.map((id) => {
    const [from, says] = RULES[id];
    return `| \`${id}\` | ${from} | ${cell(says)} | ${shownBy(TESTS.get(id) ?? [])} |`;
  });
  const outside = OUTSIDE.map(([from, says, why]) => `| ${from} | ${cell(says)} | ${cell(why)} |`);
  const count = `${RULE_IDS.length} rules.\n`;
  const page = [
    INTRODUCTION,
    count,
    '| Rule | From | What | Tests |',
    '|---|---|---|---|',
    ...rows,
    '\n## Sentences that nothing here can break\n',
    '| From | What | Why |',
    '|---|---|---|',
    ...outside,
    '',
  ];
  await expect(page.join('\n')).toMatchFileSnapshot(PAGE);
});

/** File by file, the titles of its tests. */
function shownBy(tests: readonly Shown[]): string {
  const files = Map.groupBy(tests, ({ file }) => file);
  return [...files]
    .map(
      ([file, shown]) =>
        `[${file.replace(/^test\/wire\//, '')}](../${file}): ${cell(shown.map(({ title }) => title).join('; '))}`,
    )
    .join('<br>');
}

/** Text for a table: bars escaped, and what Markdown would take for its own; in code nothing but bars is. */
function cell(text: string): string {
  const plain = (part: string): string => part.replaceAll('<', '&lt;').replaceAll('*', '\\*');
  return text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? plain(part) : part))
    .join('`')
    .replaceAll('|', '\\|');
}
