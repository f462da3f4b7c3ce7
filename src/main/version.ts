import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Of this release. */
export const VERSION = (
  JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8')) as { readonly version: string }
).version;
