import { expect, test } from 'vitest';
import { parseHttpDate } from '../../../src/protocol/http-date.ts';

const MOMENT = Date.UTC(1994, 10, 6, 8, 49, 37);

test.each([
  ['Sun, 06 Nov 1994 08:49:37 GMT', MOMENT],
  ['Sun, 6 Nov 1994 08:49:37 +0000', MOMENT],
  ['sun, 06 nov 1994 08:49:37 gmt', MOMENT],
  ['Sunday, 06-Nov-94 08:49:37 GMT', MOMENT],
  ['Sun Nov  6 08:49:37 1994', MOMENT],
  [' Sun, 06 Nov 1994 08:49:37 GMT ', MOMENT],
  ['1994-11-06T08:49:37Z', MOMENT],
  ['1994-11-06T08:49:37.999Z', MOMENT],
  ['1994-11-06T08:49:37', MOMENT],
  ['1994-11-06T08:49:37+00:00', MOMENT],
  ['1994-11-06T10:49:37+02:00', MOMENT],
  ['1994-11-06T06:19:37-0230', MOMENT],
  ['Sun, 06 Nov 1994 10:49:37 +0200', MOMENT],
  ['1994-11-06', Date.UTC(1994, 10, 6)],
  ['', undefined],
  ['1', undefined],
  ['yesterday 1', undefined],
  ['784111777', undefined],
  ['Sun, 31 Jun 1994 08:49:37 GMT', undefined],
  ['Sun, 06 Foo 1994 08:49:37 GMT', undefined],
  ['Sun, 06 Nov 1994 24:00:00 GMT', undefined],
  ['Sun, 06 Nov 1994 08:49:37', undefined],
  ['Sun, 06 Nov 1994 08:49:37 PST', undefined],
  ['1994-13-06', undefined],
])('%j', (text, expected) => {
  expect(parseHttpDate(text)).toBe(expected);
});

test('is the same in any time zone', () => {
  const zone = process.env['TZ'];
  process.env['TZ'] = 'Asia/Tokyo';
  try {
    expect([parseHttpDate('Sun Nov  6 08:49:37 1994'), parseHttpDate('1994-11-06T08:49:37')]).toEqual([MOMENT, MOMENT]);
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
});

test('two digits of a year mean the last fifty years or the next', () => {
  const year = new Date().getUTCFullYear();
  const written = (full: number): string => `Sunday, 06-Nov-${String(full % 100).padStart(2, '0')} 08:49:37 GMT`;
  const read = (full: number): number => new Date(parseHttpDate(written(full)) ?? NaN).getUTCFullYear();
  expect([read(year + 49), read(year - 49)]).toEqual([year + 49, year - 49]);
});
