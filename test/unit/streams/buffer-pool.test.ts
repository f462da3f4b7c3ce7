import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BufferPool } from '../../../src/streams/buffer-pool.ts';

const SIZE = 64 * 1024;

/** Freed memory has no bytes left. */
const isFreed = (buffer: Buffer): boolean => buffer.buffer.byteLength === 0;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});

afterEach(() => {
  vi.useRealTimers();
});

test('lends what came back', () => {
  const pool = new BufferPool(SIZE, 2);
  const first = pool.lend();
  pool.giveBack(first.subarray(10));
  expect(pool.lend().buffer).toBe(first.buffer);
});

test('frees what it has no room for, and leaves foreign memory alone', () => {
  const pool = new BufferPool(SIZE, 1);
  const [one, other, foreign] = [pool.lend(), pool.lend(), Buffer.allocUnsafeSlow(SIZE)];
  for (const buffer of [one, other, foreign, one]) pool.giveBack(buffer);
  expect([one, other, foreign].map(isFreed)).toEqual([false, true, false]);
});

test('frees what nobody needed for some seconds, and stops looking', () => {
  const pool = new BufferPool(SIZE, 8);
  const burst = Array.from({ length: 4 }, () => pool.lend());
  for (const buffer of burst) pool.giveBack(buffer);
  // One of them is in use now and then.
  for (let second = 0; second < 6; second += 1) {
    pool.giveBack(pool.lend());
    vi.advanceTimersByTime(1000);
  }
  expect(burst.filter(isFreed)).toHaveLength(3);
  vi.advanceTimersByTime(10_000);
  expect(burst.filter(isFreed)).toHaveLength(4);
  expect(vi.getTimerCount()).toBe(0);
  expect(pool.lend()).toHaveLength(SIZE);
});
