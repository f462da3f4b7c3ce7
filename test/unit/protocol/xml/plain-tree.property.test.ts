import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseAnyElement } from '../../../../src/protocol/xml/parse-tree.ts';
import { plainTree } from '../../../../src/protocol/xml/plain-tree.ts';
import '../../../support/property-seed.ts';

const NAMES = ['Part', 'ETag', 'a', 'B2'];
const TEXTS = ['', ' ', '\n', 'x', '"e"', '>', ']]>', 'é', '😀', '\u00a0', '\t', '&amp;', '&quot;', '&#65;', '&#x41;'];
/** What neither may be read as something else, nor let through. */
const STRANGE = [
  ...['\r', '\r\n', '&', '&bad;', '&#12ab;', '&#xD800;', '&#X41;', '&amp', '&#;', '&__proto__;'],
  ...['<', '</', '<>', '</>', '<a', '<a/>', '<a />', '</a >', '<a b="c">', '<n:a>', '<1a>', '<a.b>', '<a-b>'],
  ...['<!-- c -->', '<![CDATA[d]]>', '<?p?>', '<!DOCTYPE a>', '\ufeff', '<__proto__>', '<constructor>'],
];

const tags = NAMES.flatMap((name) => [`<${name}>`, `</${name}>`]);
const whole = fc.letrec<{ element: string }>((tie) => ({
  element: fc
    .tuple(
      fc.constantFrom(...NAMES),
      fc.array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...TEXTS) }, tie('element')), { maxLength: 6 }),
    )
    .map(([name, inner]) => `<${name}>${inner.join('')}</${name}>`),
})).element;
const tokens = fc.array(fc.constantFrom(...tags, ...TEXTS, ...STRANGE), { maxLength: 12 }).map((all) => all.join(''));
const spoiled = fc
  .tuple(whole, fc.nat(), fc.constantFrom('', ...tags, ...TEXTS, ...STRANGE))
  .map(
    ([text, place, what]) => text.slice(0, place % (text.length + 1)) + what + text.slice(place % (text.length + 1)),
  );

function outcome(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return 'refused';
  }
}

it('reads what it reads as the general parser does', () => {
  let read = 0;
  fc.assert(
    fc.property(fc.oneof(whole, spoiled, tokens), (text) => {
      const plain = outcome(() => plainTree(text));
      if (plain === undefined) return;
      read += 1;
      expect(plain).toEqual(outcome(() => parseAnyElement(text)));
    }),
    { numRuns: 5000 },
  );
  expect(read).toBeGreaterThan(1000);
});

it('leaves nothing that is plain to the general parser', () => {
  const isRead = fc.property(whole, (text) => {
    expect(plainTree(text)).toEqual(parseAnyElement(text));
  });
  fc.assert(isRead, { numRuns: 1000 });
});
