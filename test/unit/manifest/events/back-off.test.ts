import { beforeEach, describe, expect, test } from 'vitest';
import { BackOff, type Post } from '../../../../src/manifest/events/back-off.ts';

const POST: Post = { uid: 'uid', name: 'target', receiver: 'receiver' };
/** Another configuration of the same receiver. */
const OTHER: Post = { ...POST, name: 'other' };
const REFUSED = { isReached: true };
const NOT_REACHED = { isReached: false };

let now: number;
let backOff: BackOff;
beforeEach(() => {
  now = 0;
  backOff = new BackOff(() => now);
});

/** For how long it is left alone from now on, in seconds. */
function secondsOff(post = POST): number {
  const from = now;
  while (backOff.isOff(post)) now += 500;
  const seconds = (now - from) / 1000;
  now = from;
  return seconds;
}

describe('a destination that takes nothing', () => {
  test('is left alone for twice as long each time, up to a minute, and not once it has worked', () => {
    const waits = Array.from({ length: 8 }, () => {
      backOff.failed(POST, REFUSED);
      return secondsOff();
    });
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    backOff.worked(POST);
    expect(secondsOff()).toBe(0);
    backOff.failed(POST, REFUSED);
    expect(secondsOff()).toBe(1);
  });

  test('leaves others of its receiver alone, which has answered', () => {
    backOff.failed(POST, REFUSED);
    expect(secondsOff(OTHER)).toBe(0);
  });

  test('and is not asked for any more is forgotten; one that goes on failing is not', () => {
    for (let at = 0; at < 100; at += 1) backOff.failed({ ...POST, uid: `uid-${String(at)}` }, REFUSED);
    for (let minute = 0; minute < 30; minute += 1) {
      backOff.failed(POST, REFUSED);
      now += 60_000;
    }
    expect(backOff.size).toBe(1);
    backOff.failed(POST, REFUSED);
    expect(secondsOff()).toBe(60);
  });
});

describe('a receiver that is not reached', () => {
  test('is left alone with all that name it, for half as long as what was sent in vain', () => {
    const waits = Array.from({ length: 8 }, () => {
      backOff.failed(POST, NOT_REACHED);
      backOff.beginRound();
      return [secondsOff(OTHER), secondsOff(POST)];
    });
    expect(waits.map(([others]) => others)).toEqual([0.5, 1, 2, 4, 8, 16, 30, 30]);
    expect(waits.map(([, own]) => own)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(secondsOff({ ...OTHER, receiver: 'another' })).toBe(0);
    backOff.worked(OTHER);
    expect(secondsOff(OTHER)).toBe(0);
    expect(secondsOff(POST)).toBe(60);
  });

  test('is not tried again in the same round, however long that takes', () => {
    backOff.failed(POST, NOT_REACHED);
    now += 3_600_000;
    expect([POST, OTHER].map((post) => backOff.isOff(post))).toEqual([true, true]);
    backOff.beginRound();
    expect([POST, OTHER].map((post) => backOff.isOff(post))).toEqual([false, false]);
  });
});
