import { describe, expect, it, test } from 'vitest';
import { rangeOf, sizeOf, unionSize } from '../../../../src/access/policy/address-range.ts';
import { isPublicPolicy } from '../../../../src/access/policy/public.ts';
import { named } from './policies.ts';

type Fields = Readonly<Record<string, unknown>>;

function isPublic(...statements: readonly Fields[]): boolean {
  const whole = statements.map((fields) => ({
    Effect: 'Allow',
    Principal: '*',
    Action: 's3:GetObject',
    Resource: 'arn:aws:s3:::bucket/*',
    ...fields,
  }));
  return isPublicPolicy(named(JSON.stringify({ Version: '2012-10-17', Statement: whole }), 'resource').document);
}

const from = (...blocks: string[]): Fields => ({ Condition: { IpAddress: { 'aws:SourceIp': blocks } } });
const numbers = (count: number, first = 0): number[] => Array.from({ length: count }, (_, at) => first + at);
/** From 11.0.0.0/8 on: none of them is private. */
const eights = (count: number): string[] => numbers(count, 11).map((first) => `${String(first)}.0.0.0/8`);
const nines = (count: number): string[] =>
  numbers(count).map((at) => `${String(11 + (at >> 1))}.${String((at & 1) * 128)}.0.0/9`);
const thirtyTwos = (count: number): string[] =>
  numbers(count, 0x2000).map((group) => `2a00:${group.toString(16)}::/32`);

describe('a policy for everybody from some addresses', () => {
  it.each<[string, boolean, readonly Fields[]]>([
    ['no condition', true, [{}]],
    ['one address', false, [from('192.0.2.1')]],
    ['the widest block of IPv4', false, [from('11.0.0.0/8')]],
    ['a wider one', true, [from('10.0.0.0/7')]],
    ['the widest block of IPv6', false, [from('2001:db8::/32')]],
    ['a wider one of IPv6', true, [from('2001:db8::/31')]],
    ['all private ranges, as one list', false, [from('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16')]],
    ['two blocks', false, [from('11.0.0.0/8', '12.0.0.0/8')]],
    ['as many as count for networks', false, [from(...eights(16))]],
    ['these, and the private ranges', false, [from(...eights(16), '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16')]],
    ['one block more', true, [from(...eights(17))]],
    ['one address more', true, [from(...eights(16), '198.51.100.1')]],
    ['one address of them again', false, [from(...eights(16), '11.1.2.3')]],
    ['the same in halves', false, [from(...nines(32))]],
    ['the same in halves, and one more', true, [from(...nines(33))]],
    ['blocks that lie in each other', false, [from(...eights(16), ...nines(32), '11.0.0.0/8')]],
    ['the world in 256 blocks', true, [from(...numbers(256).map((first) => `${String(first)}.0.0.0/8`))]],
    [
      'the world over four statements',
      true,
      numbers(4).map((quarter) => from(...numbers(64, quarter * 64).map((first) => `${String(first)}.0.0.0/8`))),
    ],
    ['a statement for each of a few networks', false, eights(16).map((block) => from(block))],
    ['a statement for each of too many', true, eights(17).map((block) => from(block))],
    ['networks of IPv6', false, [from(...thirtyTwos(16))]],
    ['too many of IPv6', true, [from(...thirtyTwos(17))]],
    ['many of both families', false, [from(...eights(16), ...thirtyTwos(16))]],
    [
      'what is denied besides',
      false,
      [from(...eights(16)), { Effect: 'Deny', ...from(...numbers(9, 200).map((first) => `${String(first)}.0.0.0/8`)) }],
    ],
    [
      'what one account may besides',
      false,
      [from(...eights(16)), { Principal: { AWS: '111122223333' }, ...from(...eights(40)) }],
    ],
    [
      'the world, held to one organisation',
      false,
      [{ Condition: { IpAddress: { 'aws:SourceIp': eights(40) }, StringEquals: { 'aws:PrincipalOrgID': 'o-1' } } }],
    ],
    [
      'the world, held to what anybody can say',
      true,
      [{ Condition: { IpAddress: { 'aws:SourceIp': eights(40) }, StringEquals: { 'aws:Referer': 'x' } } }],
    ],
    [
      'the world by another operator',
      true,
      [{ Condition: { 'ForAnyValue:IpAddress': { 'aws:SourceIp': eights(40) } } }],
    ],
    ['what is no address', true, [{ Condition: { StringLike: { 'aws:SourceIp': '1*' } } }]],
    [
      'a block with a strange length, as text',
      true,
      [{ Condition: { StringEquals: { 'aws:SourceIp': '10.0.0.0/x' } } }],
    ],
  ])('%s: %s', (_what, expected, statements) => {
    expect(isPublic(...statements)).toBe(expected);
  });
});

test.each([
  ['192.0.2.7', 0xc0000207n, 1n],
  ['192.0.2.7/24', 0xc0000200n, 256n],
  ['0.0.0.0/0', 0n, 2n ** 32n],
  ['::/0', 0n, 2n ** 128n],
  ['::', 0n, 1n],
  ['::1', 1n, 1n],
  ['2001:db8::1:2/112', 0x20010db8000000000000000000010000n, 65536n],
  ['1:2:3:4:5:6:7:8', 0x00010002000300040005000600070008n, 1n],
  ['1:2:3:4:5:6:7::', 0x00010002000300040005000600070000n, 1n],
  ['::ffff:192.0.2.7', 0xffffc0000207n, 1n],
  ['fe80::1%eth0/64', 0xfe800000000000000000000000000000n, 2n ** 64n],
])('%s begins where it should and has as many addresses as it should', (text, first, size) => {
  const range = rangeOf(text);
  expect([range?.first, range && sizeOf(range)]).toEqual([first, size]);
});

test.each(['', 'x', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/', '10.0.0.0/8/8', '::/129', '10.0.0/8'])(
  '%j is no block',
  (text) => {
    expect(rangeOf(text)).toBeUndefined();
  },
);

test('what lies in several ranges counts once', () => {
  const ranges = ['10.0.0.0/24', '10.0.0.128/25', '10.0.1.0/24', '10.0.0.255', '10.0.3.0'].flatMap(
    (text) => rangeOf(text) ?? [],
  );
  expect(unionSize(ranges)).toBe(513n);
});
