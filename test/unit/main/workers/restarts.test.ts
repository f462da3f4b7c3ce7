import { expect, test } from 'vitest';
import { Restarts } from '../../../../src/main/workers/supervise.ts';

test('a worker that ends now and then is replaced at once', () => {
  const restarts = new Restarts(2);
  expect([0, 61_000, 122_000].map((now) => restarts.next(now))).toEqual([250, 250, 250]);
});

test('when it happens often, it takes longer and longer, and in the end it is given up', () => {
  const restarts = new Restarts(2);
  const delays = Array.from({ length: 13 }, (_, index) => restarts.next(index * 1000));
  expect(delays.slice(0, 4)).toEqual([250, 500, 1000, 2000]);
  expect(Math.max(...delays.slice(0, 12).map(Number))).toBe(15_000);
  expect(delays.at(-1)).toBeUndefined();
});
