import { expect, it } from 'vitest';
import {
  formatCount,
  formatDate,
  formatDay,
  formatDuration,
  formatShare,
  localInputText,
  timeOfLocalInput,
} from '../../../../src/admin/page/web/format.ts';

it.each([
  [0.44, '0.4 ms'],
  [12.3, '12 ms'],
  [3210, '3.21 s'],
  [12_340, '12.3 s'],
  [60_000, '1 min 0 s'],
  [119_600, '2 min 0 s'],
  [125_000, '2 min 5 s'],
])('%d ms are %s', (ms, expected) => {
  expect(formatDuration(ms)).toBe(expected);
});

it('a day has no time of day, whatever stands between the two where the reader lives', () => {
  const [morning, evening] = [new Date(2026, 0, 2, 8), new Date(2026, 0, 2, 20)].map(Number) as [number, number];
  expect(formatDay(morning)).toBe(formatDay(evening));
  expect(formatDay(morning)).not.toBe('');
  expect(formatDate(morning)).not.toBe(formatDate(evening));
});

it.each([
  [0, 0, '0%'],
  [0, 10, '0%'],
  [1, 10_000, '0.01%'],
  [1, 100, '1.0%'],
  [1, 3, '33%'],
  [7, 7, '100%'],
])('%d of %d are %s', (part, whole, expected) => {
  expect(formatShare(part, whole)).toBe(expected);
});

it('large counts are short', () => {
  expect([999, 12_345, 4_560_000].map(formatCount)).toEqual(['999', '12.3k', '4.6M']);
});

it('a time that was put into a field is the one that is read from it', () => {
  const time = new Date(2026, 10, 28, 14, 5, 9).getTime();
  expect(localInputText(time)).toBe('2026-11-28T14:05:09');
  expect(timeOfLocalInput(localInputText(time))).toBe(time);
  expect(timeOfLocalInput('')).toBeUndefined();
});
