import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeXml } from '../../../../src/protocol/xml/encode.ts';
import '../../../support/property-seed.ts';

const NAMED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Character by character. */
function escaped(text: string): string {
  return text
    .split('')
    .map((char) => {
      const code = char.charCodeAt(0);
      const isIllegal = (code < 0x20 && code !== 0x09 && code !== 0x0a) || code >= 0xfffe;
      return NAMED[char] ?? (isIllegal ? `&#x${code.toString(16).toUpperCase()};` : char);
    })
    .join('');
}

test('every character that XML reserves or cannot hold is escaped, and no other', () => {
  const characters = fc.oneof(
    fc.constantFrom('"', '&', '<', '>', "'", '\t', '\n', '\r', '\0', '\u{fffe}', '\u{ffff}', '\u{1f600}', 'a'),
    fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  );
  const texts = fc.array(characters, { maxLength: 8 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, (text) => {
      expect(escapeXml(text)).toBe(escaped(text));
    }),
    { numRuns: 2000 },
  );
});
