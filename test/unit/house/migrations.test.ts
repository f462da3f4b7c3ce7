import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../migrations/migrations.ts';
import { blocksUnder, PAGE } from '../../migrations/page.ts';
import { readResults, renderSection } from '../../migrations/results.ts';

describe('the page of migrations', () => {
  it('says what their last runs left', () => {
    expect(readFileSync(PAGE, 'utf8').endsWith(renderSection(readResults()))).toBe(true);
  });

  it('has a result of each, and none that failed', () => {
    const results = readResults();
    const missing = MIGRATIONS.filter(({ name }) => results[name] === undefined || results[name].failure !== undefined);
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it.each(MIGRATIONS)('$name: the headings have commands', ({ sections }) => {
    expect(sections.filter((heading) => blocksUnder(heading, 'sh').length === 0)).toEqual([]);
  });

  it('runs the commands under every heading that has them', () => {
    const run = new Set(MIGRATIONS.flatMap(({ sections }) => sections));
    const headings = [...readFileSync(PAGE, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
    expect(headings.filter((heading) => blocksUnder(heading, 'sh').length > 0 && !run.has(heading))).toEqual([]);
  });
});
