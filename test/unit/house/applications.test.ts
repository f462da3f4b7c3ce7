import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { APPLICATIONS } from '../../applications/applications.ts';
import { PROGRAMS } from '../../applications/packages.ts';
import { configurationBlock } from '../../applications/recipe.ts';
import { readResults, renderPage } from '../../applications/results.ts';

const DOCS = join(import.meta.dirname, '../../../docs');

/** Pages that say how something is connected which no lane runs. */
const NOT_RUN = ['catalogs', 'veeam'];

describe('the page of applications', () => {
  it('says what their last runs left', () => {
    expect(readFileSync(join(DOCS, 'applications.md'), 'utf8')).toBe(renderPage(readResults()));
  });

  it('has a result of each over both clouds, and none that failed', () => {
    const results = readResults();
    const missing = APPLICATIONS.filter(({ page }) => {
      const { azure, gcs } = results[page]?.clouds ?? {};
      return [azure, gcs].some((result) => result === undefined || result.failure !== undefined);
    });
    expect(missing.map(({ page }) => page)).toEqual([]);
  });
});

describe.each(APPLICATIONS)('$page', ({ page, program, packages }) => {
  it('has a program, and a block that names the gateway of a trial and its keys', () => {
    expect(existsSync(join(PROGRAMS, program))).toBe(true);
    const block = configurationBlock(page);
    const missing = ['127.0.0.1:9000', 'TEAMTEAMTEAMTEAM0001', 'your-secret-key'].filter(
      (part) => !block.includes(part),
    );
    expect(missing).toEqual([]);
  });

  it('pins its packages', () => {
    const names = 'pip' in packages ? packages.pip : 'npm' in packages ? packages.npm : [];
    expect(names.filter((name) => !/(==|.@)\d/.test(name))).toEqual([]);
  });
});

it('the overview links to the page of each application', () => {
  const overview = readFileSync(join(DOCS, 'connect/README.md'), 'utf8');
  const pages = [...APPLICATIONS.map(({ page }) => page), ...NOT_RUN];
  expect(pages.filter((page) => !overview.includes(`](${page}.md)`))).toEqual([]);
});
