import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareUtf16, compareUtf8, nameComparator, successorOfPrefix } from '../../../src/store/name-order.ts';
import { anyText, twoTexts } from './arbitrary-keys.ts';

test('compareUtf8 is the order of the UTF-8 bytes', () => {
  fc.assert(
    fc.property(twoTexts, ([a, b]) => Math.sign(compareUtf8(a, b)) === Buffer.compare(Buffer.from(a), Buffer.from(b))),
    { numRuns: 5000 },
  );
});

test('the two orders differ beyond U+FFFF only', () => {
  expect(compareUtf8('\uff01', '\u{1f600}')).toBeLessThan(0);
  expect(compareUtf16('\uff01', '\u{1f600}')).toBeGreaterThan(0);
  expect(compareUtf8('\ud7ff', '\u{1f600}')).toBeLessThan(0);
  expect(compareUtf16('\ud7ff', '\u{1f600}')).toBeLessThan(0);
});

describe.each(['utf8', 'utf16'] as const)('successorOfPrefix, %s', (order) => {
  const compare = nameComparator(order);

  test('lies above everything that starts with the prefix', () => {
    fc.assert(
      fc.property(anyText, anyText, (prefix, rest) => {
        const successor = successorOfPrefix(prefix, order);
        return successor === undefined || compare(prefix + rest, successor) < 0;
      }),
      { numRuns: 3000 },
    );
  });

  test('nothing lies between: what is below it and above the prefix starts with the prefix', () => {
    fc.assert(
      fc.property(twoTexts, ([prefix, text]) => {
        const successor = successorOfPrefix(prefix, order);
        const between = compare(text, prefix) >= 0 && (successor === undefined || compare(text, successor) < 0);
        expect(between).toBe(text.startsWith(prefix));
      }),
      { numRuns: 5000 },
    );
  });
});

test.each([
  ['a', 'b', 'b'],
  ['a/', 'a0', 'a0'],
  ['', undefined, undefined],
  ['\ud7ff', '\ue000', '\u{10000}'],
  ['\uffff', '\u{10000}', undefined],
  ['a\uffff', 'a\u{10000}', 'b'],
  ['a\u{10ffff}', 'b', 'a\ue000'],
])('successor of %j: %j by UTF-8, %j by UTF-16', (prefix, utf8, utf16) => {
  expect(successorOfPrefix(prefix)).toBe(utf8);
  expect(successorOfPrefix(prefix, 'utf16')).toBe(utf16);
});
