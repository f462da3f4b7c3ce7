import { expect, test } from 'vitest';
import { ByteBoundedMap } from '../../../src/observe/bounded-map.ts';

type Step = readonly [name: string, bytes: number] | string;

/** Puts entries into a map of ten bytes, or takes them out. */
function after(...steps: readonly Step[]): { readonly held: string; readonly bytes: number } {
  const map = new ByteBoundedMap<{ readonly bytes: number }>(10);
  for (const step of steps) {
    if (typeof step === 'string') map.delete(step);
    else map.set(step[0], { bytes: step[1] });
  }
  const held = ['a', 'b', 'c'].map((name) => map.get(name)).map((entry) => entry?.bytes ?? '-');
  return { held: held.join(' '), bytes: map.bytes };
}

test.each<[string, readonly Step[], string, number]>([
  [
    'as much as fits',
    [
      ['a', 5],
      ['b', 5],
    ],
    '5 5 -',
    10,
  ],
  [
    'the oldest goes first',
    [
      ['a', 5],
      ['b', 5],
      ['c', 1],
    ],
    '- 5 1',
    6,
  ],
  [
    'as many go as must',
    [
      ['a', 5],
      ['b', 5],
      ['c', 6],
    ],
    '- - 6',
    6,
  ],
  [
    'what is put in again is the newest, and counts once',
    [
      ['a', 4],
      ['b', 4],
      ['a', 2],
      ['c', 5],
    ],
    '2 - 5',
    7,
  ],
  [
    'what is too large by itself is not kept',
    [
      ['a', 1],
      ['b', 11],
    ],
    '- - -',
    0,
  ],
  ['what is taken out no longer counts', [['a', 5], ['b', 5], 'a', 'a', ['c', 5]], '- 5 5', 10],
])('%s', (_title, steps, held, bytes) => {
  expect(after(...steps)).toEqual({ held, bytes });
});
