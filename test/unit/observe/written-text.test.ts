import '../../support/property-seed.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainJson, terminalText } from '../../../src/observe/written-text.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('\x1b', '\x9b', '\x07', '\u202e', '\u2028', '\x7f', '\u{e0001}', '\\', '"', 'a', '\ud800'),
  }),
);

test('JSON keeps its meaning and has nothing that a terminal or a reader of lines obeys', () => {
  fc.assert(
    fc.property(text, (value) => {
      const json = plainJson(JSON.stringify({ [value]: value }));
      expect(JSON.parse(json)).toEqual({ [value]: value });
      expect(json).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    }),
  );
});

test('a terminal is shown what it would obey', () => {
  fc.assert(
    fc.property(text, (value) => {
      expect(terminalText(value)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    }),
  );
  expect(terminalText('a\x1b[31m\u{1f600}é')).toBe('a\\u{1b}[31m\u{1f600}é');
});
