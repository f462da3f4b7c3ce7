import { describe, expect, test } from 'vitest';
import { ClockGuard } from '../../../src/store/clock-guard.ts';
import { ServiceClock, certainSkew } from '../../../src/store/service-clock.ts';

const LIMIT = 60_000;

describe('readings', () => {
  test.each([
    [0, 40, 0],
    [999, 40, 0],
    [1_000, 40, 0],
    [1_001, 40, 1],
    [600_000, 40, 599_000],
    [-40, 40, 0],
    [-41, 40, -1],
    [-600_000, 40, -599_960],
    // An answer that took long may have been dated at any moment of it.
    [600_000, 700_000, 599_000],
    [-600_000, 700_000, 0],
  ])(
    'our clock %d ms ahead when the request went out, answered after %d ms: %d ms for certain',
    (ahead, took, skew) => {
      const service = 1_700_000_000_000;
      expect(certainSkew({ sent: service + ahead, received: service + ahead + took, service })).toBe(skew);
    },
  );

  test('are taken once a second, and not while our clock is being set', () => {
    const seen: number[] = [];
    const clock = new ServiceClock();
    expect(clock.wants(0)).toBe(false);
    clock.onReading((skew) => seen.push(skew));
    const service = 1_700_000_000_000;
    const reading = { sent: service, received: service + 10, elapsed: 10, service };
    expect(clock.wants(5_000)).toBe(true);
    clock.note(reading, 5_000);
    expect([clock.wants(5_999), clock.wants(6_000)]).toEqual([false, true]);
    for (const step of [-700_000, 700_000]) clock.note({ ...reading, received: service + 10 + step }, 6_000);
    clock.note({ ...reading, service: Number.NaN }, 6_000);
    expect(seen).toEqual([0]);
    expect(clock.wants(6_000)).toBe(true);
  });
});

describe('judgement', () => {
  function guard(): { guard: ClockGuard; turns: string[] } {
    const turns: string[] = [];
    return {
      guard: new ClockGuard({
        limitMs: LIMIT,
        onTurn: (backend, wrong, skew) => turns.push(`${backend} ${String(wrong)} ${skew}`),
      }),
      turns,
    };
  }

  test.each([1, -1])(
    'a step, direction %d: two readings turn it, the first one of all alone, and half the limit turns it back',
    (sign) => {
      const { guard: fresh } = guard();
      fresh.read('a', sign * (LIMIT + 1));
      expect(fresh.wrongBy).toBe(sign * (LIMIT + 1));

      const { guard: running, turns } = guard();
      running.read('a', 0);
      running.read('a', sign * 600_000);
      expect(running.wrongBy).toBeUndefined();
      running.read('a', sign * 600_000);
      expect(running.wrongBy).toBe(sign * 600_000);
      // Around the limit it stays as it is, and one good reading says little.
      for (const skew of [59_000, 61_000, 31_000, 30_000, 31_000, 30_000]) running.read('a', sign * skew);
      expect(running.wrongBy).toBe(sign * 30_000);
      running.read('a', sign * 30_000);
      expect(running.wrongBy).toBeUndefined();
      for (const skew of [31_000, 59_000, 61_000, 59_000, 61_000, 60_000]) running.read('a', sign * skew);
      expect(running.wrongBy).toBeUndefined();
      expect(turns).toEqual([`a true ${sign * 600_000}`, `a false ${sign * 30_000}`]);
    },
  );

  test('one backend among several may be wrong itself', () => {
    const { guard: two } = guard();
    two.read('a', 600_000);
    two.read('b', 0);
    expect(two.wrongBy).toBeUndefined();
    for (const _ of [1, 2]) two.read('b', 700_000);
    expect(two.wrongBy).toBe(600_000);
    expect(two.skews()).toEqual([
      ['a', 600_000],
      ['b', 700_000],
    ]);
  });
});
