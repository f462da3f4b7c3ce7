import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NO_KEYS } from '../../../../src/access/policy/context.ts';
import { compilePattern } from '../../../../src/access/policy/pattern.ts';

/** Few letters, so that texts nearly fit in many places; one of two units, and one whose last eight bits are an `a`. */
const LETTERS = ['a', 'a', 'a', 'b', 'š', '😀'];
/** Short ones, ones that are searched for by their beginning, and ones that are compared as a whole. */
const text = fc
  .tuple(fc.array(fc.constantFrom(...LETTERS), { maxLength: 5 }), fc.constantFrom(1, 1, 2, 16))
  .map(([letters, times]) => letters.join('').repeat(times));
const pattern = fc.array(fc.oneof(text, fc.constantFrom('*', '?')), { maxLength: 8 }).map((parts) => parts.join(''));
const value = fc.array(text, { maxLength: 6 }).map((parts) => parts.join(''));

function expected(wanted: string): RegExp {
  return new RegExp(`^${wanted.replaceAll(/\*+/g, '[^]*').replaceAll('?', '[^]')}$`, 'u');
}

it('a pattern fits what the same regular expression fits', () => {
  fc.assert(
    fc.property(pattern, fc.oneof(value, pattern), (wanted, given) => {
      const { matches } = compilePattern(wanted, { variables: false });
      expect(matches(given, NO_KEYS)).toBe(expected(wanted).test(given));
    }),
    { numRuns: 3000 },
  );
});

it('a value fits what is made of it by leaving letters out', () => {
  const cuts = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 9 }), fc.constantFrom('*', '?')), { maxLength: 4 });
  fc.assert(
    fc.property(value, cuts, (given, places) => {
      let wanted = Array.from(given);
      for (const [place, length, wildcard] of places) {
        const at = place % (wanted.length + 1);
        const cut = wildcard === '*' ? length : 1;
        const left = wanted.slice(at, at + cut);
        if (left.length === cut && (wildcard === '*' || left[0] !== '*')) {
          wanted = [...wanted.slice(0, at), wildcard, ...wanted.slice(at + cut)];
        }
      }
      expect(compilePattern(wanted.join(''), { variables: false }).matches(given, NO_KEYS)).toBe(true);
    }),
    { numRuns: 3000 },
  );
});
