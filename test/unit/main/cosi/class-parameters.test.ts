import { describe, expect, test } from 'vitest';
import { accessParameters, bucketParameters } from '../../../../src/main/cosi/class-parameters.ts';

describe('parameters of a BucketClass', () => {
  test('are read', () => {
    const given = {
      account: 'team',
      backend: 'main',
      objectLock: 'true',
      quotaBytes: '1073741824',
      quotaObjects: '1000',
    };
    expect(bucketParameters(given)).toEqual({
      account: 'team',
      backend: 'main',
      objectLock: true,
      quotaBytes: 1_073_741_824,
      quotaObjects: 1000,
    });
    expect(bucketParameters({})).toEqual({});
  });

  test.each([
    ['one that is not known', { objectlock: 'true' }, /parameter objectlock of the BucketClass: expected one of/],
    ['one of every object', { constructor: 'x' }, /parameter constructor/],
    ['one of a BucketAccessClass', { readOnly: 'true' }, /parameter readOnly/],
    ['a flag that is none', { objectLock: 'yes' }, /objectLock of the BucketClass: expected "true" or "false"/],
    ['a number that is none', { quotaBytes: '1Gi' }, /quotaBytes of the BucketClass: expected a number/],
    ['a quota of nothing', { quotaObjects: '0' }, /quotaObjects/],
    ['a number beyond safe ones', { quotaBytes: '1'.repeat(16) }, /quotaBytes/],
    ['an empty name', { account: '' }, /account/],
  ])('are refused: %s', (_, given, message) => {
    const read = (): unknown => bucketParameters(given);
    expect(read).toThrow(message);
    expect(read).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }) as Error);
  });
});

describe('parameters of a BucketAccessClass', () => {
  test('are read', () => {
    expect(accessParameters({ readOnly: 'false', prefix: 'in/' })).toEqual({ readOnly: false, prefix: 'in/' });
  });

  test.each([
    ['a misspelt protection', { readonly: 'true' }, /parameter readonly of the BucketAccessClass/],
    ['an empty prefix', { prefix: '' }, /prefix/],
    ['a prefix longer than any key', { prefix: 'é'.repeat(513) }, /prefix/],
  ])('are refused: %s', (_, given, message) => {
    expect(() => accessParameters(given)).toThrow(message);
  });
});
