import { describe, expect, test } from 'vitest';
import { RawHeaders } from '../../../../src/protocol/headers/header-reader.ts';
import { readQuery } from '../../../../src/protocol/headers/query-reader.ts';

describe('query', () => {
  test('decodes once, plus is a space, a repeated value is one', () => {
    const query = readQuery('a=1+2%2B%2520&b&a=1%202%2b%2520&&c=&%C3%A9=%E2%82%AC&=x');
    expect([...query.names()]).toEqual(['a', 'b', 'a', 'c', 'é', '']);
    expect(['a', 'b', 'c', 'é', 'd'].map((name) => query.get(name))).toEqual(['1 2+%20', '', '', '€', undefined]);
    expect([query.has('b'), query.has('d')]).toEqual([true, false]);
  });

  test('an empty one', () => {
    expect([...readQuery('').names()]).toEqual([]);
  });

  test.each(['a=%', '%zz=1', 'a=%FF', 'a=%C3%28'])('%s is no URI', (raw) => {
    expect(() => readQuery(raw)).toThrow(expect.objectContaining({ code: 'InvalidURI' }) as Error);
  });
});

describe('headers', () => {
  const headers = new RawHeaders([
    'Host',
    'h',
    'X-Amz-Meta-A',
    '1',
    'x-amz-meta-b',
    '2',
    'X-AMZ-META-A',
    '3',
    'Content-Type',
    'a',
    'Content-Type',
    'b',
  ]);

  test('are found by lower-case name; repeated ones are joined, also where Node drops them', () => {
    expect([
      headers.get('host'),
      headers.get('x-amz-meta-a'),
      headers.get('content-type'),
      headers.get('none'),
    ]).toEqual(['h', '1,3', 'a,b', undefined]);
  });

  test('by prefix', () => {
    expect([...headers.startingWith('x-amz-meta-')]).toEqual([
      ['x-amz-meta-a', '1,3'],
      ['x-amz-meta-b', '2'],
    ]);
  });
});

test.each(['a=1&a=2', 'a&a=1', 'x-amz-acl=a&X-Amz-Acl=b', 'a=1&%61=2'])(
  '%s has one parameter with two values',
  (raw) => {
    expect(() => readQuery(raw)).toThrow(expect.objectContaining({ code: 'InvalidArgument' }) as Error);
  },
);
