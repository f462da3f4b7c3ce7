import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PageText, Pattern } from '../../../../adapters/azure/page-text.ts';
import { unescapeXml } from '../../../../adapters/azure/xml-reader.ts';
import '../../../support/property-seed.ts';

/** Few kinds of bytes, those that differ from the mark in one bit among them. */
const BYTES = fc.array(fc.constantFrom(0x3c, 0x3c ^ 0x80, 0x3d, 0x3b, 0x1c, 0x00, 0xff, 0x61), { maxLength: 40 });
const at = (limit: number): fc.Arbitrary<number> => fc.integer({ min: 0, max: limit });

/** The same bytes at any place in memory: numbers are read where they do not lie even. */
function unevenly(bytes: Uint8Array, offset: number): Buffer {
  const whole = Buffer.alloc(bytes.length + offset);
  whole.set(bytes, offset);
  return whole.subarray(offset);
}

describe('the bytes of a page', () => {
  test('a mark is found where it stands', () => {
    fc.assert(
      fc.property(BYTES, at(40), at(7), (bytes, from, offset) => {
        const document = unevenly(Uint8Array.from(bytes), offset);
        const start = Math.min(from, document.length);
        const found = document.indexOf(0x3c, start);
        expect(new PageText(document).markFrom(start)).toBe(found < 0 ? document.length : found);
      }),
      { numRuns: 2000 },
    );
  });

  test('two places are the same if all bytes are', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: PageText.LEAST, maxLength: 24 }),
        fc.option(at(23), { nil: undefined }),
        at(3),
        at(3),
        (one, changed, between, behind) => {
          const other = Uint8Array.from(one);
          const where = changed === undefined ? -1 : changed % one.length;
          if (where >= 0) other[where] = (other[where] ?? 0) ^ 0x20;
          const document = Buffer.concat([one, Buffer.alloc(between), other, Buffer.alloc(behind)]);
          const place = one.length + between;
          const page = new PageText(document);
          expect(page.isSame(0, place, one.length)).toBe(where < 0);
          expect(page.isSame(place, 0, one.length)).toBe(where < 0);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('nothing is the same as what lies behind the end', () => {
    const page = new PageText(Buffer.from('abcdeabcde'));
    expect(page.isSame(5, 0, 5)).toBe(true);
    expect(page.isSame(5, 0, 6)).toBe(false);
    expect(page.isSame(0, 7, 4)).toBe(false);
  });

  test('a pattern stands where all of its characters do', () => {
    const text = fc
      .string({ minLength: PageText.LEAST, maxLength: 40, unit: 'grapheme-ascii' })
      .filter((value) => Pattern.isOne(value));
    fc.assert(
      fc.property(text, fc.option(at(39), { nil: undefined }), at(7), at(9), (value, changed, before, behind) => {
        const bytes = Buffer.from(value, 'latin1');
        const where = changed === undefined ? -1 : changed % bytes.length;
        if (where >= 0) bytes[where] = (bytes[where] ?? 0) ^ 1;
        const document = Buffer.concat([Buffer.alloc(before, 0x20), bytes, Buffer.alloc(behind, 0x20)]);
        const pattern = Pattern.of(value);
        expect(pattern.length).toBe(value.length);
        expect(pattern.standsIn(new PageText(document), before)).toBe(where < 0);
        // As it ends with the document, and cut off.
        const end = document.subarray(0, before + bytes.length);
        expect(pattern.standsIn(new PageText(end), before)).toBe(where < 0);
        expect(pattern.standsIn(new PageText(end.subarray(0, -1)), before)).toBe(false);
      }),
      { numRuns: 3000 },
    );
  });

  test('a pattern is one of its own text, however many there were', () => {
    const texts = Array.from({ length: 600 }, (_, number) => `</Name><Properties><n${number}>`);
    const page = new PageText(Buffer.from(texts.join('')));
    for (const round of [1, 2]) {
      let place = 0;
      for (const text of texts) {
        expect(Pattern.of(text).standsIn(page, place), `${text} ${round}`).toBe(true);
        place += text.length;
      }
    }
  });

  test('values are what their bytes say, wherever they lie in a long document', () => {
    const value = fc.oneof(
      fc.constantFrom('plain', 'a&amp;b', 'ü', 'a&lt;\u4e2d', '\u{1f600}', '\u00bf', ''),
      fc.constantFrom(20_000, 70_000).map((length) => 'x'.repeat(length)),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(value, fc.constantFrom(0, 9, 30_000)), { maxLength: 12 }), (list) => {
        let place = 0;
        const pieces = list.flatMap(([text, gap]) => [text, '-'.repeat(gap)]);
        const document = Buffer.from(pieces.join(''));
        const page = new PageText(document);
        for (const [text, gap] of list) {
          const length = Buffer.byteLength(text);
          expect(page.between(place, place + length)).toBe(unescapeXml(text));
          place += length + gap;
        }
        // And back again.
        for (const [text, gap] of list.toReversed()) {
          place -= gap;
          const length = Buffer.byteLength(text);
          expect(page.between(place - length, place)).toBe(unescapeXml(text));
          place -= length;
        }
      }),
      { numRuns: 150 },
    );
  });
});
