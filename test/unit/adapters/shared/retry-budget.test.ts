import { expect, test } from 'vitest';
import { RetryBudget } from '../../../../adapters/shared/retry-budget.ts';
import { unlessAborted } from '../../../../adapters/shared/unless-aborted.ts';

const POLICY = { attempts: 3, baseDelay: 10, maxDelay: 40, budget: 2 };
const never = new AbortController().signal;

test('a call is sent `attempts` times at most', () => {
  const budget = new RetryBudget({ ...POLICY, budget: 100 });
  expect([1, 2, 3].map((attempt) => budget.take(attempt))).toEqual([true, true, false]);
});

test('an empty purse allows no retry until ten successes have earned one', () => {
  const budget = new RetryBudget(POLICY);
  expect([1, 1, 1].map((attempt) => budget.take(attempt))).toEqual([true, true, false]);
  for (let i = 0; i < 11; i += 1) budget.succeeded();
  expect([1, 1].map((attempt) => budget.take(attempt))).toEqual([true, false]);
});

test('successes never fill the purse beyond its size', () => {
  const budget = new RetryBudget(POLICY);
  for (let i = 0; i < 1000; i += 1) budget.succeeded();
  expect([1, 1, 1].map((attempt) => budget.take(attempt))).toEqual([true, true, false]);
});

test('a pause lasts at least what the service asked for, within the bound, and ends with the signal', async () => {
  const budget = new RetryBudget(POLICY);
  const begin = performance.now();
  await budget.pause(1, 3600, never);
  expect(performance.now() - begin).toBeGreaterThanOrEqual(POLICY.maxDelay - 2);
  await expect(budget.pause(1, undefined, AbortSignal.abort())).rejects.toThrow();
});

test('shared work goes on when one who waits for it is aborted', async () => {
  const { promise: work, resolve: finish } = Promise.withResolvers<string>();
  const stop = new AbortController();
  const one = unlessAborted(work, stop.signal);
  const other = unlessAborted(work, never);
  stop.abort();
  await expect(one).rejects.toMatchObject({ kind: 'aborted' });
  finish('done');
  expect(await other).toBe('done');
  await expect(unlessAborted(work, stop.signal)).rejects.toMatchObject({ kind: 'aborted' });
});
