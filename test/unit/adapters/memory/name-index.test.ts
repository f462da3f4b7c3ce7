import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NameIndex } from '../../../../adapters/memory/name-index.ts';
import { nameComparator } from '../../../../src/store/name-order.ts';

const name = fc.string({ unit: fc.constantFrom('a', 'b', '/', '\uffe5', '\u{1f600}'), maxLength: 4 });

describe.each(['utf8', 'utf16'] as const)('NameIndex, %s', (order) => {
  const compare = nameComparator(order);

  test('is the sorted set of its names after any changes, in small steps and large', () => {
    const step = fc.record({ flip: fc.array(name, { maxLength: 60 }), look: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const index = new NameIndex(order);
        const expected = new Set<string>();
        for (const { flip, look } of steps) {
          for (const text of flip) {
            if (expected.delete(text)) {
              index.remove(text);
            } else {
              expected.add(text);
              index.add(text);
            }
          }
          if (look) expect(index.names()).toEqual([...expected].sort(compare));
        }
      }),
    );
  });

  test('finds positions as a search from the front does', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 50 }), name, (names, wanted) => {
        const index = new NameIndex(order);
        for (const text of names) index.add(text);
        const sorted = [...names].sort(compare);
        const first = (holds: (text: string) => boolean): number => {
          const found = sorted.findIndex(holds);
          return found < 0 ? sorted.length : found;
        };
        expect(index.firstAtOrAfter(wanted)).toBe(first((text) => compare(text, wanted) >= 0));
        expect(index.firstAfter(wanted)).toBe(first((text) => compare(text, wanted) > 0));
        expect(index.firstBehindPrefix(wanted)).toBe(
          first((text) => compare(text, wanted) > 0 && !text.startsWith(wanted)),
        );
      }),
    );
  });
});
