import { expect, it } from 'vitest';
import { formatDate, formatDay, formatDuration } from '../../../../src/admin/page/web/format.ts';

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
