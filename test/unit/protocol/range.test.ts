import { expect, test } from 'vitest';
import { parseRange, resolveRange } from '../../../src/protocol/range.ts';

const SIZE = 25;
const WHOLE = { first: 0, last: 24 };

test.each<[range: string, bytes: { first: number; last: number } | undefined]>([
  ['0-', WHOLE],
  ['0-24', WHOLE],
  ['0-25', WHOLE],
  ['0-9007199254740993', WHOLE],
  ['0-999999999999999999999', WHOLE],
  [`0-${'9'.repeat(400)}`, WHOLE],
  [`-${'9'.repeat(400)}`, WHOLE],
  ['24-999999999999999999999', { first: 24, last: 24 }],
  ['25-', undefined],
  ['999999999999999999999-', undefined],
  ['999999999999999999999-9999999999999999999999', undefined],
  [`${'9'.repeat(400)}-${'9'.repeat(400)}`, undefined],
])('bytes=%s of 25, in numbers that calls to a backend can say', (text, bytes) => {
  const range = parseRange(`bytes=${text}`);
  expect(range).toBeDefined();
  if (range === undefined) return;
  for (const number of Object.values(range)) {
    if (typeof number === 'number') expect(Number.isSafeInteger(number)).toBe(true);
  }
  expect(resolveRange(range, SIZE)).toEqual(bytes);
});

test.each(['5-2', '999999999999999999999-2', '-', 'a-b', '0-1,3-4'])('bytes=%s is no range', (text) => {
  expect(parseRange(`bytes=${text}`)).toBeUndefined();
});
