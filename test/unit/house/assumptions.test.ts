import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AZURE_TRIALS, GOOGLE_TRIALS } from '../../../src/main/prove/trials.ts';
import { ASSUMPTIONS } from '../../store/recorded/assumptions.ts';
import { AZURE_REFUSALS } from '../../store/recorded/azure-refusals.ts';
import { GCS_REFUSALS } from '../../store/recorded/gcs-refusals.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PAGE = join(ROOT, 'docs/assumptions.md');

const INTRODUCTION = `# What is relied on in the clouds' answers

Made from the table of assumptions (\`test/store/recorded/assumptions.ts\`) by
\`npx vitest run test/unit/house/assumptions.test.ts --update\`; do not edit. *Source*: \`recording\`, public test suites
recorded the service itself; \`document\`, the vendor says so; \`emulator\`, only an emulator was seen; \`nothing\`, none of
these. *Tried*: \`npm run prove\` tries it on an account ([prove](prove.md)). An adapter maps no error code that has no row
here.
`;

/** Rows that `npm run prove` tries, or says why it cannot. */
const TRIED = new Set([...AZURE_TRIALS, ...GOOGLE_TRIALS].map(({ id }) => id));

/** Codes of the table in a file's text. */
function mappedCodes(text: string): string[] {
  const table = /const BY_CODE[^{]*\{(.*?)\n\};/s.exec(text)?.[1] ?? '';
  return [...table.matchAll(/^ {2}(\w+): '/gm)].map((match) => match[1] ?? '');
}

function namedCodes(file: string): string[] {
  return ASSUMPTIONS.filter((row) => row.file === file).flatMap(({ codes = [] }) => codes);
}

test('the page of assumptions says what the table says', async () => {
  const lines = ASSUMPTIONS.map(({ id, cloud, relies, file, source, codes = [], test: by }) => {
    const named = codes.length === 0 ? '' : `: ${codes.map((code) => `\`${code}\``).join(', ')}`;
    const tried = TRIED.has(id) ? 'yes' : '';
    return `| ${id} | ${cloud} | ${relies}${named} | \`${file}\` | ${source} | ${tried} | \`${by}\` |`;
  });
  await expect(
    [
      INTRODUCTION,
      '| | Cloud | What is relied on | File | Source | Tried | Test |',
      '|---|---|---|---|---|---|---|',
      ...lines,
      '',
    ].join('\n'),
  ).toMatchFileSnapshot(PAGE);
});

describe.each(['adapters/azure/errors.ts', 'adapters/gcs/errors.ts'])('%s', (file) => {
  test('maps no code without a row, and each row speaks of codes that are mapped', () => {
    const mapped = mappedCodes(readFileSync(join(ROOT, file), 'utf8'));
    expect(mapped.length).toBeGreaterThan(20);
    expect(namedCodes(file).toSorted()).toEqual(mapped.toSorted());
  });
});

test('codes of rows that name a recording were recorded, those of others were not', () => {
  const recorded = new Set([...AZURE_REFUSALS, ...GCS_REFUSALS].map(({ code }) => code));
  const wrong = ASSUMPTIONS.flatMap(({ codes = [], source }) =>
    codes.filter((code) => recorded.has(code) !== (source === 'recording')),
  );
  expect(wrong).toEqual([]);
});

test('each has an id of its own, a file and a test that exist', () => {
  expect(new Set(ASSUMPTIONS.map(({ id }) => id)).size).toBe(ASSUMPTIONS.length);
  const files = ASSUMPTIONS.flatMap(({ file, test: by }) => [file, by]);
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

test('what prove tries has a row of its cloud, and what no recording shows is tried', () => {
  const idsOf = (cloud: string): string[] => ASSUMPTIONS.filter((row) => row.cloud === cloud).map(({ id }) => id);
  expect(AZURE_TRIALS.filter(({ id }) => !idsOf('Azure').includes(id))).toEqual([]);
  expect(GOOGLE_TRIALS.filter(({ id }) => !idsOf('Google').includes(id))).toEqual([]);
  const open = ASSUMPTIONS.filter(({ source, codes }) => source !== 'recording' && codes === undefined);
  expect(open.filter(({ id }) => !TRIED.has(id)).map(({ id }) => id)).toEqual([]);
});
