import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodeOrdered,
  encodeOrdered,
  encodeOrderedPrefix,
  encodeOrderedWithin,
  isCutEncoding,
} from '../../../src/store/ordered-encoding.ts';
import { anyKey, anyText, twoTexts } from './arbitrary-keys.ts';

const SMALL = { maxLength: 60, maxSegments: 4 };
const sign = (a: string, b: string): number => Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));

describe('encodeOrdered', () => {
  test.each([
    ['', ''],
    ['photos/2024/a', 'photos/2024/a'],
    ['a.b-c d', 'a-2eb-2dc-20d'],
    ['[\\]', '[0[1]'],
    ['~é', '~7e~c3~a9'],
    ['\u{1f600}', '~f0~9f~98~80'],
    ['../x', '-2e-2e/x'],
  ])('%j becomes %j', (text, encoded) => {
    expect(encodeOrdered(text)).toBe(encoded);
    expect(decodeOrdered(encoded)).toBe(text);
  });

  test('keeps the order of UTF-8 bytes', () => {
    fc.assert(
      fc.property(twoTexts, ([a, b]) => sign(encodeOrdered(a), encodeOrdered(b)) === sign(a, b)),
      { numRuns: 3000 },
    );
  });

  test('encodes beginnings as beginnings', () => {
    fc.assert(fc.property(anyText, anyText, (a, b) => encodeOrdered(a + b) === encodeOrdered(a) + encodeOrdered(b)));
  });

  test('can be undone', () => {
    fc.assert(
      fc.property(anyText, (text) => decodeOrdered(encodeOrdered(text)) === text),
      { numRuns: 2000 },
    );
  });

  test('emits only characters above "!" that need no care, and no dots', () => {
    fc.assert(
      fc.property(
        anyText,
        (text) => /^[-/0-Z[\]-}~]*$/.test(encodeOrdered(text)) && !/[!.\\]/.test(encodeOrdered(text)),
      ),
    );
  });
});

describe('decodeOrdered', () => {
  test.each([
    'a.b',
    '-2',
    '-2E',
    '-61',
    '~61',
    '[',
    '[2',
    '\\',
    'a b',
    'é',
    '~ff',
    '~c3',
    '~ed~a0~80',
    '!',
    '-2f',
    'a!',
  ])('refuses %j, which nothing encodes to', (text) => expect(decodeOrdered(text)).toBeUndefined());

  test('accepts only what encodeOrdered makes', () => {
    const almost = fc.string({
      unit: fc.constantFrom('-', '~', '[', '0', '1', '2', 'e', 'a', 'c', '3', '/', '9', 'b', 'F'),
      maxLength: 9,
    });
    fc.assert(
      fc.property(almost, (text) => {
        const decoded = decodeOrdered(text);
        return decoded === undefined || encodeOrdered(decoded) === text;
      }),
      { numRuns: 3000 },
    );
  });
});

describe('encodeOrderedWithin', () => {
  test('keeps the limits; what fits is not cut', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        const { text, cut } = encodeOrderedWithin(key, SMALL);
        expect(text.length).toBeLessThanOrEqual(SMALL.maxLength);
        expect(text.split('/').length).toBeLessThanOrEqual(SMALL.maxSegments);
        expect(isCutEncoding(text)).toBe(cut);
        if (!cut) expect(text).toBe(encodeOrdered(key));
      }),
      { numRuns: 3000 },
    );
  });

  test('encodes different keys differently', () => {
    fc.assert(
      fc.property(
        twoTexts,
        ([a, b]) => a === b || encodeOrderedWithin(a, SMALL).text !== encodeOrderedWithin(b, SMALL).text,
      ),
    );
    const long = 'x'.repeat(80);
    expect(encodeOrderedWithin(`${long}1`, SMALL).text).not.toBe(encodeOrderedWithin(`${long}2`, SMALL).text);
  });

  test('keeps the order but among keys that share the cut', () => {
    fc.assert(
      fc.property(twoTexts, ([a, b]) => {
        const [x, y] = [encodeOrderedWithin(a, SMALL), encodeOrderedWithin(b, SMALL)];
        if (sign(x.text, y.text) === sign(a, b)) return;
        const shared = [x, y].filter(({ cut }) => cut).map(({ text }) => text.slice(0, -33));
        expect(shared.some((start) => x.text.startsWith(start) && y.text.startsWith(start))).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  test('a prefix reaches every key that has it', () => {
    fc.assert(
      fc.property(anyText, anyText, (prefix, rest) => {
        expect(encodeOrderedWithin(prefix + rest, SMALL).text.startsWith(encodeOrderedPrefix(prefix, SMALL))).toBe(
          true,
        );
      }),
      { numRuns: 3000 },
    );
  });

  test('cuts where it says: by length, and behind the last allowed slash', () => {
    expect(encodeOrderedWithin('x'.repeat(61), SMALL).text).toMatch(/^x{27}![0-9a-f]{32}$/);
    expect(encodeOrderedWithin('x'.repeat(60), SMALL)).toEqual({ text: 'x'.repeat(60), cut: false });
    expect(encodeOrderedWithin('a/b/c/d', SMALL)).toEqual({ text: 'a/b/c/d', cut: false });
    expect(encodeOrderedWithin('a/b/c/d/e', SMALL).text).toMatch(/^a\/b\/c\/![0-9a-f]{32}$/);
    expect(encodeOrderedPrefix('a/b/c/d/e', SMALL)).toBe('a/b/c/');
    expect(encodeOrderedPrefix('////', SMALL)).toBe('///');
    expect(encodeOrderedPrefix('x'.repeat(100), SMALL)).toBe('x'.repeat(27));
  });
});
