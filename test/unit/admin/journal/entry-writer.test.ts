import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EntryReader } from '../../../../src/admin/journal/entry-reader.ts';
import { EntryWriter } from '../../../../src/admin/journal/entry-writer.ts';
import '../../../support/property-seed.ts';

const HUGE = 200_000;

/** Any text: control characters, beyond the basic plane, halves of pairs, empty, long. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.array(fc.nat(0xffff), { maxLength: 30 }).map((units) => String.fromCharCode(...units)),
  fc.tuple(fc.constantFrom('a', 'ü', '\u0000', '\ufffe', '🦆'), fc.nat(300)).map(([unit, count]) => unit.repeat(count)),
);
const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.nat(300),
  fc.constantFrom(0, 239, 240, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 1.8e12, -1, 0.5, Number.NaN, Infinity),
);

const value = fc.oneof(
  text.map((of) => ({ kind: 'text' as const, of })),
  number.map((of) => ({ kind: 'number' as const, of })),
  fc
    .oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('GET', 'ok', 'azure'))
    .map((of) => ({ kind: 'word' as const, of })),
  fc.constantFrom('text', 'number', 'word').map((kind) => ({ kind, of: undefined })),
);

function readBack(writer: EntryWriter, kinds: readonly string[]): unknown[] {
  const reader = new EntryReader(writer, (place) => `repeated ${String(place)}`);
  return kinds.map((kind) => reader[kind as 'text' | 'number' | 'word']());
}

/** What is no UTF-16 is not kept as it was. -0 is 0. */
const asKept = (of: string | number | undefined): unknown =>
  typeof of === 'string' ? of.toWellFormed() : Object.is(of, -0) ? 0 : of;

describe('an entry of the journal', () => {
  const writer = new EntryWriter();

  it('gives back all values, in their order', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 60 }), (values) => {
        writer.start(undefined);
        for (const { kind, of } of values) {
          if (of === undefined) writer.nothing();
          else if (kind === 'number') writer.number(of);
          else writer[kind](of);
        }
        expect(
          readBack(
            writer,
            values.map(({ kind }) => kind),
          ),
        ).toEqual(values.map(({ of }) => asKept(of)));
      }),
      { numRuns: 500 },
    );
  });

  it('may be longer than the memory for nearly all of them', () => {
    for (const unit of ['a', 'ü', '🦆']) {
      writer.start(undefined);
      writer.text('before');
      writer.text(unit.repeat(HUGE));
      writer.number(7);
      expect(readBack(writer, ['text', 'text', 'number'])).toEqual(['before', unit.repeat(HUGE), 7]);
    }
    writer.start(undefined);
    writer.text('short again');
    expect(writer.bytes.length).toBeLessThan(HUGE);
    expect(readBack(writer, ['text'])).toEqual(['short again']);
  });

  it('has texts that are kept elsewhere, words that have no number, and forgets what is taken back', () => {
    writer.start(undefined);
    writer.repeated(70_000);
    const { length } = writer;
    writer.text('taken back');
    writer.backTo(length);
    writer.signed(3, '0123456789abcdef');
    const words = Array.from({ length: 300 }, (_, at) => `word-${String(at)}`);
    for (const word of [...words, 'long'.repeat(50)]) writer.word(word);
    expect(readBack(writer, ['text', 'text', ...words.map(() => 'word'), 'word'])).toEqual([
      'repeated 70000',
      'repeated 3<64 chars, sha256 01234567>',
      ...words,
      'long'.repeat(50),
    ]);
  });
});
