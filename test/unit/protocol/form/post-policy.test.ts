import { describe, expect, test } from 'vitest';
import { parsePostPolicy } from '../../../../src/protocol/form/post-policy.ts';

const base64 = (expiration: unknown): string =>
  Buffer.from(JSON.stringify({ expiration, conditions: [] })).toString('base64');

describe('expiration of a form', () => {
  test.each(['2028-02-29T12:00:00Z', '2028-02-29T12:00:00.123Z', '2030-12-31T23:59:59Z'])('%s is one', (text) => {
    expect(parsePostPolicy(base64(text)).expiration).toBe(Date.parse(text));
  });

  test.each([
    '2030-02-30T12:00:00Z',
    '2030-02-29T12:00:00.000Z',
    '2030-06-31T00:00:00Z',
    '2030-13-01T00:00:00Z',
    '2030-01-01T00:60:00Z',
    '2030-01-01',
    'tomorrow',
    '',
    1_893_456_000_000,
    null,
  ])('%j is none', (value) => {
    expect(() => parsePostPolicy(base64(value))).toThrow("Invalid Policy: Invalid 'expiration' value: ");
  });
});
