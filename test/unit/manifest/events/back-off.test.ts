import { beforeEach, describe, expect, test } from 'vitest';
import { BackOff } from '../../../../src/manifest/events/back-off.ts';

let now: number;
let backOff: BackOff;
beforeEach(() => {
  now = 0;
  backOff = new BackOff(() => now);
});

/** For how long it is left alone from now on, in whole seconds. */
function secondsOff(name = 'target'): number {
  const from = now;
  while (backOff.isOff('uid', name)) now += 1000;
  const seconds = (now - from) / 1000;
  now = from;
  return seconds;
}

describe('a destination that takes nothing', () => {
  test('is left alone for twice as long each time, up to a minute, and not once it has worked', () => {
    const waits = Array.from({ length: 8 }, () => {
      backOff.failed('uid', 'target');
      return secondsOff();
    });
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    backOff.worked('uid', 'target');
    expect(secondsOff()).toBe(0);
    backOff.failed('uid', 'target');
    expect(secondsOff()).toBe(1);
  });

  test('and is not asked for any more is forgotten; one that goes on failing is not', () => {
    for (let at = 0; at < 100; at += 1) backOff.failed(`uid-${String(at)}`, 'removed');
    for (let minute = 0; minute < 30; minute += 1) {
      backOff.failed('uid', 'target');
      now += 60_000;
    }
    expect(backOff.size).toBe(1);
    backOff.failed('uid', 'target');
    expect(secondsOff()).toBe(60);
  });
});
