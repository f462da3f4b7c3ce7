import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { renderReference } from './reference.ts';

writeFileSync(resolve(import.meta.dirname, '../docs/configuration.md'), renderReference());
