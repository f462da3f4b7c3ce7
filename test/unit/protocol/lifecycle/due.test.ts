import { describe, expect, test } from 'vitest';
import { abortOf, CALENDAR, dueAfter, expirationOf } from '../../../../src/protocol/lifecycle/due.ts';
import { abortHeaders, expirationHeader } from '../../../../src/protocol/lifecycle/expiration-headers.ts';
import type { S3LifecycleRule } from '../../../../src/protocol/lifecycle/lifecycle.ts';

const at = (text: string): number => Date.parse(`${text}Z`);

test.each([
  ['2012-01-15T10:30:00', 3, '2012-01-19T00:00:00'],
  ['2014-01-02T00:05:00', 1, '2014-01-04T00:00:00'],
  ['2014-01-01T00:00:00', 1, '2014-01-03T00:00:00'],
  ['2024-02-28T23:59:59', 1, '2024-03-01T00:00:00'],
])('%s and %i days: %s', (since, days, due) => {
  expect(dueAfter(at(since), days)).toBe(at(due));
});

test('a short day of a test is not rounded', () => {
  expect(dueAfter(1234, 3, { ms: 1000, isRounded: false })).toBe(4234);
  expect(CALENDAR.isRounded).toBe(true);
});

const rule = (id: string, more: Partial<S3LifecycleRule>): S3LifecycleRule => ({
  id,
  isEnabled: true,
  filter: {},
  ...more,
});
const object = { key: 'logs/a', size: 10, mtime: at('2012-12-17T10:00:00') };

describe('the header of an object that expires', () => {
  test('has a date, however many days a rule says', () => {
    const expiration = { days: 2_147_483_647 };
    expect(expirationHeader({ rules: [rule('r', { expiration })] }, object)).toEqual({
      'x-amz-expiration': 'expiry-date="Sat, 13 Sep 275760 00:00:00 GMT", rule-id="r"',
    });
  });

  const header = (...rules: S3LifecycleRule[]): string | undefined =>
    expirationHeader({ rules }, { ...object, tags: [{ key: 'a', value: '1' }] })['x-amz-expiration'];
  const days = (count: number): Partial<S3LifecycleRule> => ({ expiration: { days: count } });

  test.each([
    ['names date and rule', [rule('my rule', days(3))], '21', 'my rule'],
    ['of several the earliest', [rule('late', days(9)), rule('early', days(3))], '21', 'early'],
    ['of two at one time the first', [rule('one', days(3)), rule('two', days(3))], '21', 'one'],
    ['a date that has passed', [rule('d', { expiration: { date: at('2012-12-02T00:00:00') } })], '02', 'd'],
    ['an id that no header can say', [rule('ü"', days(3))], '21', '%C3%BC%22'],
    ['tags that fit', [rule('t', { filter: { tag: { key: 'a', value: '1' } }, ...days(3) })], '21', 't'],
  ])('%s', (_name, rules, day, id) => {
    const weekday = day === '21' ? 'Fri' : 'Sun';
    expect(header(...rules)).toBe(`expiry-date="${weekday}, ${day} Dec 2012 00:00:00 GMT", rule-id="${id}"`);
  });

  test.each([
    ['off', rule('r', { isEnabled: false, ...days(3) })],
    ['of another prefix', rule('r', { filter: { prefix: 'x' }, ...days(3) })],
    ['of other tags', rule('r', { filter: { tag: { key: 'a', value: '2' } }, ...days(3) })],
    ['of smaller objects', rule('r', { filter: { sizeBelow: 10 }, ...days(3) })],
    ['of larger objects', rule('r', { filter: { sizeAbove: 10 }, ...days(3) })],
    ['for delete markers only', rule('r', { expiration: { loneMarkers: true } })],
    ['for noncurrent versions only', rule('r', { noncurrentExpiration: { days: 1 } })],
  ])('a rule that is %s has none', (_name, one) => {
    expect(header(one)).toBeUndefined();
  });

  test('no rules, no header', () => {
    expect(expirationHeader(undefined, object)).toEqual({});
    expect(expirationOf({ rules: [] }, object)).toBeUndefined();
  });
});

test('the headers of an upload have the earliest rule for its prefix', () => {
  const rules = [
    rule('late', { abortDays: 9 }),
    rule('soon', { abortDays: 2 }),
    rule('x', { filter: { prefix: 'x' }, abortDays: 1 }),
  ];
  const upload = { key: 'k', initiatedAt: at('2025-08-16T12:00:00') };
  expect(abortHeaders({ rules }, upload)).toEqual({
    'x-amz-abort-date': 'Tue, 19 Aug 2025 00:00:00 GMT',
    'x-amz-abort-rule-id': 'soon',
  });
  expect(abortOf({ rules: [rule('e', { expiration: { days: 1 } })] }, upload)).toBeUndefined();
});
