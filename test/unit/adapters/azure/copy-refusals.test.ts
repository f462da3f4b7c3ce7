import { expect, test } from 'vitest';
import { CopyRefusals, mayBeRefused } from '../../../../adapters/azure/copy-refusals.ts';
import { StoreError } from '../../../../src/store/store-error.ts';

test('a refusal is remembered for ten minutes', () => {
  let now = 1000;
  const refusals = new CopyRefusals(() => now);
  expect(refusals.active).toBe(false);
  refusals.remember();
  now += 10 * 60_000 - 1;
  expect(refusals.active).toBe(true);
  now += 1;
  expect(refusals.active).toBe(false);
});

test.each([
  [new StoreError('denied', { status: 403 }), true],
  [new StoreError('sourceNotFound', { status: 404 }), true],
  [new StoreError('sourceConditionFailed', { status: 412 }), false],
  [new StoreError('throttled', { status: 503 }), false],
  [new Error('other'), false],
])('%s', (error, expected) => {
  expect(mayBeRefused(error)).toBe(expected);
});
