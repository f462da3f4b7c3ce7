import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { renderReference } from '../../config/reference.ts';
import { renderReadme } from './readme.ts';
import { renderValuesSchema } from './values-schema.ts';

/* `npm run docs`: the pages of the configuration and of the chart. */
const CHART = resolve(import.meta.dirname, '..');
const schema = renderValuesSchema();
writeFileSync(resolve(CHART, '../docs/configuration.md'), renderReference());
writeFileSync(resolve(CHART, 'values.schema.json'), schema);
writeFileSync(resolve(CHART, 'README.md'), renderReadme(schema));
