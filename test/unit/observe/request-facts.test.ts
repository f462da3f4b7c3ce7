import { expect, it } from 'vitest';
import { factsOf } from '../../support/observe/request-facts.ts';

it('counts the time of a request from its arrival, also when it waited to be begun', () => {
  const before = performance.now();
  const { arrived } = factsOf({ head: { waitedMs: 1000 } });
  expect(arrived).toBeGreaterThanOrEqual(before - 1000);
  expect(arrived).toBeLessThanOrEqual(performance.now() - 1000);
});
