import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { atTurnsEnd, leaveBy } from '../../../src/streams/turn-end.ts';

/** More than may wait for the end of a turn. */
const MANY = 100;

test('what is written in one turn leaves at its end, in order', async () => {
  const left: number[] = [];
  for (const number of [1, 2, 3]) atTurnsEnd(() => left.push(number));
  await Promise.resolve();
  expect(left).toEqual([]);
  await nextTurn();
  expect(left).toEqual([1, 2, 3]);
});

test('what a write causes to be written leaves at the end of a later turn', async () => {
  const left: string[] = [];
  atTurnsEnd(() => {
    left.push('first');
    atTurnsEnd(() => left.push('second'));
  });
  await nextTurn();
  expect(left).toEqual(['first']);
  await nextTurn();
  expect(left).toEqual(['first', 'second']);
});

test('what waits does not wait for ever so many others', async () => {
  let left = 0;
  for (let number = 0; number < MANY; number += 1) atTurnsEnd(() => (left += 1));
  expect(left).toBeGreaterThanOrEqual(MANY / 2);
  expect(left).toBeLessThan(MANY);
  await nextTurn();
  expect(left).toBe(MANY);
});

test('over TLS it leaves at once', async () => {
  const left: string[] = [];
  leaveBy(new Socket(), () => left.push('plain'));
  leaveBy(new TLSSocket(new Socket()), () => left.push('encrypted'));
  expect(left).toEqual(['encrypted']);
  await nextTurn();
  expect(left).toEqual(['encrypted', 'plain']);
});
