import { expect, test } from 'vitest';
import { RetryBudget } from '../../../../adapters/shared/retry-budget.ts';
import { inParallel } from '../../../../adapters/shared/in-parallel.ts';
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

test('parallel work: never wider than asked, results in order, the first failure stops it', async () => {
  let running = 0;
  let widest = 0;
  const work = async (item: number): Promise<number> => {
    running += 1;
    widest = Math.max(widest, running);
    await new Promise((resolve) => setTimeout(resolve, (item * 7) % 5));
    running -= 1;
    return item * 2;
  };
  const items = Array.from({ length: 30 }, (_, i) => i);
  expect(await inParallel(items, 4, work)).toEqual(items.map((item) => item * 2));
  expect(widest).toBe(4);
  const begun: number[] = [];
  const failing = inParallel(items, 2, async (item) => {
    begun.push(item);
    if (item === 3) throw new Error('three');
    return work(item);
  });
  await expect(failing).rejects.toThrow('three');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(begun.length).toBeLessThan(7);
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
