import { describe, expect, it } from 'vitest';
import { compileCondition, isConditionFault } from '../../../../src/access/policy/condition.ts';
import { cpuTimeOf } from '../../../support/cpu-time.ts';
import { keysOf } from './policies.ts';

type Given = string | readonly string[] | undefined;

function holds(operator: string, wanted: string | readonly string[], given: Given): boolean {
  const values = typeof wanted === 'string' ? [wanted] : wanted;
  const condition = compileCondition({ operator, key: 'aws:Key', values }, { variables: true });
  if (isConditionFault(condition)) throw new Error(condition.kind);
  return condition.holds(
    keysOf(given === undefined ? { 'aws:username': 'anna' } : { 'aws:key': given, 'aws:username': 'anna' }),
  );
}

describe('operators', () => {
  it.each<[string, string | readonly string[], Given, boolean]>([
    ['StringEquals', 'a', 'a', true],
    ['StringEquals', 'a', 'A', false],
    ['StringEquals', ['a', 'b'], 'b', true],
    ['StringEquals', 'a*', 'abc', false],
    ['StringEquals', 'a*', 'a*', true],
    ['stringequals', 'a', 'a', true],
    ['StringNotEquals', ['a', 'b'], 'b', false],
    ['StringNotEquals', ['a', 'b'], 'c', true],
    ['StringEqualsIgnoreCase', 'aB', 'Ab', true],
    ['StringNotEqualsIgnoreCase', 'aB', 'Ab', false],
    ['StringLike', 'a*c?', 'abbbcd', true],
    ['StringLike', 'a*c?', 'abbbc', false],
    ['StringLike', '?', '😀', true],
    ['StringLike', 'x?y*?z', 'x😀y12z', true],
    ['StringLike', '*?', '', false],
    ['StringLike', '**', '', true],
    ['StringLike', '*aab', 'aaab', true],
    ['StringLike', 'ab*ba', 'aba', false],
    ['StringNotLike', 'a*', 'b', true],
    ['StringEquals', '${aws:username}', 'anna', true],
    ['StringLike', 'home/${aws:username}/*', 'home/anna/x', true],
    ['NumericEquals', '10', '10.0', true],
    ['NumericNotEquals', '10', '11', true],
    ['NumericLessThan', '10', '9', true],
    ['NumericLessThan', '10', '10', false],
    ['NumericLessThanEquals', '10', '10', true],
    ['NumericGreaterThan', '10', '11', true],
    ['NumericGreaterThanEquals', '10', '9.99', false],
    ['NumericEquals', '10', 'ten', false],
    ['DateLessThan', '2030-01-01T00:00:00Z', '2029-12-31T23:59:59Z', true],
    ['DateGreaterThan', '2030-01-01', '2029-12-31T23:59:59Z', false],
    ['DateEquals', '2030-01-01T00:00:00Z', '1893456000', true],
    ['DateEquals', '2028-02-29', '2028-02-29T00:00Z', true],
    ['DateNotEquals', '2030-01-01T00:00:00Z', '2030-01-01T01:00:00+01:00', false],
    ['Bool', 'true', 'TRUE', true],
    ['Bool', 'false', 'true', false],
    ['BinaryEquals', 'QUJD', 'QUJD', true],
    ['IpAddress', '10.0.0.0/8', '10.1.2.3', true],
    ['IpAddress', '10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['IpAddress', '10.0.0.0/8', '11.1.2.3', false],
    ['IpAddress', ['192.168.0.1', '2001:db8::/32'], '2001:db8::1', true],
    ['IpAddress', '0.0.0.0/0', '2001:db8::1', false],
    ['NotIpAddress', '10.0.0.0/8', '10.1.2.3', false],
    ['IpAddress', '10.0.0.0/8', 'nonsense', false],
    ['ArnLike', 'arn:aws:iam::*:user/a*', 'arn:aws:iam::111122223333:user/anna', true],
    ['ArnEquals', 'arn:aws:iam::*:user/a*', 'arn:aws:iam::111122223333:user/anna', true],
    ['ArnLike', 'arn:aws:*:user/a*', 'arn:aws:iam::111122223333:user/anna', false],
    ['ArnNotLike', 'arn:aws:iam::*:user/a*', 'arn:aws:iam::111122223333:user/anna', false],
    ['ArnNotEquals', 'arn:aws:iam::*:user/a*', 'arn:aws:iam::111122223333:role/anna', true],
    ['Null', 'true', undefined, true],
    ['Null', 'false', undefined, false],
    ['Null', 'true', 'x', false],
    ['Null', 'true', [], true],
  ])('%s %j of %j: %s', (operator, wanted, given, expected) => {
    expect(holds(operator, wanted, given)).toBe(expected);
  });

  it.each<[string, boolean]>([
    ['StringEquals', false],
    ['StringEqualsIfExists', true],
    ['StringNotEquals', true],
    ['StringNotEqualsIfExists', true],
    ['NumericLessThan', false],
    ['NumericLessThanIfExists', true],
    ['ForAllValues:StringEquals', true],
    ['ForAnyValue:StringEquals', false],
    ['ForAnyValue:StringNotEquals', false],
    ['ForAllValues:StringNotEquals', true],
    ['ForAnyValue:StringEqualsIfExists', true],
  ])('%s of a key that is not there: %s', (operator, expected) => {
    expect(holds(operator, '1', undefined)).toBe(expected);
    expect(holds(operator, '1', [])).toBe(expected);
  });

  it.each<[string, readonly string[], boolean]>([
    ['ForAllValues:StringEquals', ['a', 'b'], true],
    ['ForAllValues:StringEquals', ['a', 'x'], false],
    ['ForAnyValue:StringEquals', ['x', 'a'], true],
    ['ForAnyValue:StringEquals', ['x', 'y'], false],
    ['ForAllValues:StringNotEquals', ['x', 'y'], true],
    ['ForAllValues:StringNotEquals', ['x', 'a'], false],
    ['ForAnyValue:StringNotEquals', ['x', 'a'], true],
    ['ForAnyValue:StringNotEquals', ['a', 'b'], false],
    ['StringEquals', ['x', 'a'], true],
    ['StringNotEquals', ['x', 'a'], false],
  ])('%s [a, b] of %j: %s', (operator, given, expected) => {
    expect(holds(operator, ['a', 'b'], given)).toBe(expected);
  });

  it.each([
    ['StringIs', 'a'],
    ['NullIfExists', 'true'],
    ['ForSomeValues:StringEquals', 'a'],
    ['NumericEquals', 'ten'],
    ['DateEquals', 'today'],
    ['DateLessThan', '2030-02-30'],
    ['DateLessThan', '2030-02-29T12:00:00+01:00'],
    ['DateNotEquals', '2030-06-31T00:00Z'],
    ['Bool', 'yes'],
    ['IpAddress', '10.0.0'],
    ['IpAddress', '10.0.0.0/x'],
    ['BinaryEquals', '%'],
    ['Null', 'maybe'],
  ])('%s %s is none', (operator, wanted) => {
    expect(() => holds(operator, wanted, 'x')).toThrow();
  });
});

it('a pattern of many wildcards takes no more than linear time in the value', () => {
  const value = 'a'.repeat(1024);
  const matching = (): void => {
    expect(holds('StringLike', `${'a*'.repeat(5000)}b`, value)).toBe(false);
    expect(holds('StringLike', `${'*a?'.repeat(300)}b`, value)).toBe(false);
  };
  // Tried from each wildcard: longer than anybody waits.
  expect(cpuTimeOf(matching)).toBeLessThan(2000);
});
