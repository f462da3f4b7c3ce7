import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/operations/index.ts';

/* docs/limits.md names the calls that wait until every replica knows what they changed, and no other. */
const ROOT = join(import.meta.dirname, '../../..');
const WAITS = /\bbuckets\.(?:amendEverywhere|setVersioning|delete)\(/;

/** `put-bucket-policy.ts` has PutBucketPolicy. */
function operationOf(file: string): string {
  const words = (/([\w-]+)\.ts$/.exec(file)?.[1] ?? '').split('-');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

test('the calls that wait are those that the page of limits names', () => {
  const folder = join(ROOT, 'src/operations');
  const waiting = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && WAITS.test(readFileSync(join(folder, name), 'utf8')))
    .map(operationOf);
  const line = readFileSync(join(ROOT, 'docs/limits.md'), 'utf8')
    .split('\n')
    .find((row) => row.includes('these calls wait for it'));
  const named = Object.keys(OPERATIONS).filter((name) => line?.split(/\W+/).includes(name) === true);
  expect(waiting.length).toBeGreaterThan(5);
  expect(named.toSorted()).toEqual(waiting.toSorted());
});
