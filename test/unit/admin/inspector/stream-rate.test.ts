import { describe, expect, it } from 'vitest';
import { StreamRate } from '../../../../src/admin/inspector/stream-rate.ts';

describe('how many requests a reader is told of', () => {
  it('is bounded for each second, not for all time', () => {
    let now = 0;
    const rate = new StreamRate(100, () => now);
    let told = 0;
    for (now = 0; now < 10_000; now += 1) {
      for (let at = 0; at < 10; at += 1) {
        const request = { id: `${String(now)}-${String(at)}`, isNotable: false };
        if (rate.begins(request)) told += 1;
        rate.ends(request);
      }
    }
    expect(told).toBeGreaterThan(1090);
    expect(told).toBeLessThanOrEqual(1100);
    expect(told + rate.takeLeftOut()).toBe(100_000);
  });

  it('leaves room for those that fail, and tells the end of each whose beginning it has told', () => {
    const rate = new StreamRate(2, () => 0);
    const request = (id: string, isNotable = false): { readonly id: string; readonly isNotable: boolean } => ({
      id,
      isNotable,
    });
    expect(['a', 'b', 'c', 'd'].map((id) => rate.begins(request(id)))).toEqual([true, true, false, false]);
    expect([rate.ends(request('c')), rate.ends(request('d', true)), rate.ends(request('a'))]).toEqual([
      false,
      true,
      true,
    ]);
    expect([rate.ends(request('b', true)), rate.ends(request('e', true)), rate.ends(request('f', true))]).toEqual([
      true,
      true,
      false,
    ]);
    expect(rate.takeLeftOut()).toBe(2);
  });
});
