import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { renderReadme } from './readme.ts';
import { renderValuesSchema } from './values-schema.ts';

const CHART = resolve(import.meta.dirname, '..');
const schema = renderValuesSchema();
writeFileSync(resolve(CHART, 'values.schema.json'), schema);
writeFileSync(resolve(CHART, 'README.md'), renderReadme(schema));
