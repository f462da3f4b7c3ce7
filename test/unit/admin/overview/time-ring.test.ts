import { expect, it } from 'vitest';
import { TimeRing } from '../../../../src/admin/overview/time-ring.ts';

const MINUTE = 60_000;

function count(ring: TimeRing, time: number): void {
  const at = ring.open(time);
  ring.cells[at] = (ring.cells[at] ?? 0) + 1;
}

function read(ring: TimeRing, time: number): number | undefined {
  const at = ring.find(time);
  return at === undefined ? undefined : ring.cells[at];
}

it('counts by slices, and forgets those that are overwritten', () => {
  const ring = new TimeRing(MINUTE, 3, 2);
  const { bytes } = ring;
  count(ring, 0);
  count(ring, MINUTE - 1);
  count(ring, MINUTE);
  expect([read(ring, 0), read(ring, MINUTE), read(ring, 2 * MINUTE)]).toEqual([2, 1, undefined]);
  count(ring, 3 * MINUTE);
  expect([read(ring, 0), read(ring, MINUTE), read(ring, 3 * MINUTE)]).toEqual([undefined, 1, 1]);
  for (let minute = 4; minute < 10_000; minute += 1) count(ring, minute * MINUTE);
  expect(ring.bytes).toBe(bytes);
});

it('goes on in the same slice when the clock steps back, and finds the older ones again', () => {
  const ring = new TimeRing(MINUTE, 60, 1);
  count(ring, 100 * MINUTE);
  count(ring, 101 * MINUTE);
  count(ring, 100 * MINUTE);
  expect([read(ring, 100 * MINUTE), read(ring, 101 * MINUTE)]).toEqual([2, 1]);
});

it('takes nothing of another day for its own when the clock steps forth and back', () => {
  const ring = new TimeRing(MINUTE, 60, 1);
  count(ring, 100 * MINUTE);
  count(ring, (100 + 60 * 24 * 365) * MINUTE);
  count(ring, 101 * MINUTE);
  expect(read(ring, 101 * MINUTE)).toBe(1);
  const future = 101 + 60 * 24 * 365;
  expect(read(ring, future * MINUTE)).toBeUndefined();
  count(ring, future * MINUTE);
  count(ring, 101 * MINUTE);
  expect(read(ring, 101 * MINUTE)).toBe(1);
});
