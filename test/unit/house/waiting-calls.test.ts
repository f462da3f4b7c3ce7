import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/operations/index.ts';

/* docs/limits.md names the calls that wait until every replica knows what they changed, and no other. */
const ROOT = join(import.meta.dirname, '../../..');
const WAITS = /\bbuckets\.(?:amendEverywhere|setVersioning|delete)\(/;

/** Operations that are written as one, and rows of the table of settings. */
const WRITTEN = /\nexport const (\w+): Operation\b([^]*?)\n\};/g;
const SETTING = /settingOperations\('(\w+)', \{([^]*?)\n {2}\}\)/g;

function waitingIn(text: string): string[] {
  const written = [...text.matchAll(WRITTEN)].filter(([, , body = '']) => WAITS.test(body));
  const settings = [...text.matchAll(SETTING)].filter(([, , row = '']) => row.includes('isProtection: true'));
  return [
    ...written.map(([, name = '']) => name.charAt(0).toUpperCase() + name.slice(1)),
    ...settings.map(([, name = '']) => `Put${name}`),
  ];
}

test('the calls that wait are those that the page of limits names', () => {
  const folder = join(ROOT, 'src/operations');
  const waiting = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => waitingIn(readFileSync(join(folder, name), 'utf8')));
  const line = readFileSync(join(ROOT, 'docs/limits.md'), 'utf8')
    .split('\n')
    .find((row) => row.includes('these calls wait for it'));
  const named = Object.keys(OPERATIONS).filter((name) => line?.split(/\W+/).includes(name) === true);
  expect(waiting.length).toBeGreaterThan(5);
  expect(named.toSorted()).toEqual(waiting.toSorted());
});
