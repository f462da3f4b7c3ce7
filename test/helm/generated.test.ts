import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renderReadme } from '../../helm/tools/readme.ts';
import { renderValuesSchema } from '../../helm/tools/values-schema.ts';

const CHART = join(import.meta.dirname, '../../helm');

test("values.schema.json is what the configuration's schema and that of the values make: `npm run docs` writes it", async () => {
  await expect(renderValuesSchema()).toMatchFileSnapshot(join(CHART, 'values.schema.json'));
});

test("the chart's README says what values.yaml says: `npm run docs` writes it", async () => {
  await expect(renderReadme(readFileSync(join(CHART, 'values.schema.json'), 'utf8'))).toMatchFileSnapshot(
    join(CHART, 'README.md'),
  );
});
