import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Place } from './watched-gateway.ts';

const PAGES = resolve(import.meta.dirname, '../../docs/connect');
const CONFIGURATION = /^## Configuration$.*?^```\w*\n(.*?)^```$/ms;

/** What the pages hand out stands for the gateway of a trial; the first that is found in a place counts. */
const PLACEHOLDERS: readonly (readonly [placeholder: string, valueOf: (place: Place) => string])[] = [
  ['http://127.0.0.1:9000', ({ ENDPOINT }) => ENDPOINT],
  ['127.0.0.1:9000', ({ ENDPOINT }) => new URL(ENDPOINT).host],
  ['TEAMTEAMTEAMTEAM0001', ({ ACCESS_KEY }) => ACCESS_KEY],
  ['your-secret-key', ({ SECRET_KEY }) => SECRET_KEY],
  ['my-bucket', ({ BUCKET }) => BUCKET],
];

/** The block of configuration of a page in `docs/connect/`, as it stands there. @throws Error: there is none */
export function configurationBlock(page: string): string {
  const text = readFileSync(resolve(PAGES, `${page}.md`), 'utf8');
  const [, block] = CONFIGURATION.exec(text) ?? [];
  if (block === undefined) throw new Error(`docs/connect/${page}.md has no block under "Configuration"`);
  return block;
}

/** The same with the endpoint, keys and bucket of a running gateway. */
export function recipeOf(page: string, place: Place): string {
  return PLACEHOLDERS.reduce(
    (text, [placeholder, valueOf]) => text.replaceAll(placeholder, valueOf(place)),
    configurationBlock(page),
  );
}
