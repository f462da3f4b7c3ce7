import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BASE_PATH, type AdminEndpoint, ENDPOINTS } from '../../../src/admin/manage/endpoints.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/admin-api.md'), 'utf8');

it('the page of the admin API has the table of its endpoints', () => {
  const rows = Object.values<AdminEndpoint>(ENDPOINTS).map(
    ({ method, path, summary }) => `| ${method} | \`${path}\` | ${summary} |`,
  );
  expect(rows.length).toBeGreaterThan(20);
  expect(PAGE).toContain(['| Method | Path | What it does |', '|---|---|---|', ...rows, ''].join('\n'));
  expect(PAGE).toContain(`below \`${BASE_PATH}\``);
});
