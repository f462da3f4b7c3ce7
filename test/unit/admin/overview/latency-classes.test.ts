import { expect, it } from 'vitest';
import { LATENCY_CLASSES, latencyClass, percentileOf } from '../../../../src/admin/overview/latency-classes.ts';

function classesOf(times: readonly number[]): Float64Array {
  const classes = new Float64Array(LATENCY_CLASSES);
  for (const time of times) classes[latencyClass(time)] = (classes[latencyClass(time)] ?? 0) + 1;
  return classes;
}

it('has a class for every number', () => {
  for (const ms of [-1, 0, 0.1, 0.25, 1, 1e3, 1e6, 1e300, Infinity, -Infinity, NaN]) {
    const index = latencyClass(ms);
    expect(Number.isInteger(index) && index >= 0 && index < LATENCY_CLASSES, String(ms)).toBe(true);
  }
});

it.each([0.5, 0.9, 0.99])('reads the percentile %d within a quarter', (share) => {
  for (const spread of [1, 3, 40]) {
    const times = Array.from({ length: 5000 }, (_, index) => 0.5 + ((index * 7919) % 5000) ** 1.2 / spread);
    const exact = times.toSorted((a, b) => a - b)[Math.ceil(share * times.length) - 1] ?? 0;
    const read = percentileOf(classesOf(times), share) ?? 0;
    expect(Math.abs(read - exact) / exact).toBeLessThan(0.26);
  }
});

it('has none where nothing was counted, and the one time where all are equal', () => {
  expect(percentileOf(classesOf([]), 0.5)).toBeUndefined();
  const read = percentileOf(classesOf([80, 80, 80]), 0.99) ?? 0;
  expect(Math.abs(read - 80) / 80).toBeLessThan(0.26);
  expect(percentileOf(classesOf([1e9]), 0.5)).toBeGreaterThan(400_000);
});
