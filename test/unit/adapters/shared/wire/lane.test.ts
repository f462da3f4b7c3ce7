import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Lane, type LanePlace } from '../../../../../adapters/shared/wire/lane.ts';

const NEVER = new AbortController().signal;

/** Takes a place for something that can be stopped. */
function moving(lane: Lane, holder: string, moved = 0, mayStop = true): { place: LanePlace; stopped: () => boolean } {
  const place = lane.enterNow(holder);
  if (place === undefined) throw new Error('no place');
  let over = false;
  place.mover = {
    moved,
    mayStop,
    stop() {
      over = true;
      place.leave();
    },
  };
  return { place, stopped: () => over };
}

function asking(holder: string, within = 10_000, signal = NEVER) {
  return { holder, within, signal };
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('a lane', () => {
  it('has so many places, each once', () => {
    const lane = new Lane(2);
    const [first, second] = [lane.enterNow('a'), lane.enterNow('a')];
    expect([first, second].includes(undefined)).toBe(false);
    expect(lane.enterNow('a')).toBeUndefined();
    first?.leave();
    first?.leave();
    expect(lane.inUse).toBe(1);
    expect(lane.enterNow('b')?.holder).toBe('b');
    expect(lane.enterNow('b')).toBeUndefined();
    expect(lane.holders).toEqual([
      { holder: 'a', inUse: 1, waiting: 0 },
      { holder: 'b', inUse: 1, waiting: 0 },
    ]);
  });

  it('lets holders enter in turn, and the requests of each in order', async () => {
    const lane = new Lane(1);
    let place = lane.enterNow('a') as LanePlace;
    const order: string[] = [];
    const enter = async (holder: string, name: string): Promise<void> => {
      const own = await lane.enter(asking(holder));
      order.push(name);
      place = own;
    };
    const all = [
      ...[1, 2, 3].map((at) => enter('a', `a${at}`)),
      ...[1, 2].map((at) => enter('b', `b${at}`)),
      enter('c', 'c1'),
    ];
    expect(lane.waiting).toBe(6);
    for (const _one of all) {
      place.leave();
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect(lane.waiting).toBe(0);
  });

  it('forgets those who wait too long, or are aborted', async () => {
    const lane = new Lane(1);
    const place = lane.enterNow('a');
    const gone = new AbortController();
    const outcomes = Promise.allSettled([
      lane.enter(asking('b', 50)),
      lane.enter(asking('b', 10_000, gone.signal)),
      lane.enter(asking('c', 10_000)),
    ]);
    await vi.advanceTimersByTimeAsync(60);
    gone.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(lane.waiting).toBe(1);
    place?.leave();
    const [late, aborted, entered] = await outcomes;
    expect(late).toMatchObject({ reason: { failure: 'timeout', sent: false } });
    expect(aborted).toMatchObject({ reason: { failure: 'aborted', sent: false } });
    expect(entered).toMatchObject({ value: { holder: 'c' } });
    expect(lane.inUse).toBe(1);
  });

  it('takes the slowest place of the holder who has most for one who has fewer', () => {
    const lane = new Lane(4);
    const greedy = [moving(lane, 'a', 9_000), moving(lane, 'a', 10), moving(lane, 'a', 500_000)];
    const modest = moving(lane, 'b');
    vi.advanceTimersByTime(2_000);
    expect(lane.enterNow('c')?.holder).toBe('c');
    expect(greedy.map(({ stopped }) => stopped())).toEqual([false, true, false]);
    expect(modest.stopped()).toBe(false);
    // Now nobody has more than one that asks would have.
    expect(lane.enterNow('b')).toBeUndefined();
    expect(lane.enterNow('a')).toBeUndefined();
    expect(greedy.filter(({ stopped }) => stopped())).toHaveLength(1);
  });

  it('stops nobody in the first second, and nothing that cannot be stopped', () => {
    const lane = new Lane(3);
    const young = [moving(lane, 'a'), moving(lane, 'a')];
    lane.enterNow('a');
    expect(lane.enterNow('b')).toBeUndefined();
    vi.advanceTimersByTime(1_500);
    expect(lane.enterNow('b')?.holder).toBe('b');
    expect(young.filter(({ stopped }) => stopped())).toHaveLength(1);
  });

  it('stops nothing whose outcome would be in doubt', () => {
    const lane = new Lane(2);
    const own = [moving(lane, 'a', 5, false), moving(lane, 'a', 9, false)];
    vi.advanceTimersByTime(2_000);
    expect(lane.enterNow('b')).toBeUndefined();
    expect(own.some(({ stopped }) => stopped())).toBe(false);
  });

  it('that is gentle stops what can go on, and nothing else', () => {
    const lane = new Lane(3, true);
    const own = [moving(lane, 'a', 5, false), moving(lane, 'a', 9), moving(lane, 'a', 7)];
    const taken = lane.enterNow('a');
    expect(taken?.holder).toBe('a');
    expect(own.map(({ stopped }) => stopped())).toEqual([false, false, true]);
    expect(lane.enterNow('b')?.holder).toBe('b');
    expect(lane.enterNow('c')).toBeUndefined();
    expect(own.map(({ stopped }) => stopped())).toEqual([false, true, true]);
  });
});
