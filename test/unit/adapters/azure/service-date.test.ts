import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseServiceDate } from '../../../../adapters/azure/service-date.ts';
import '../../../support/property-seed.ts';

test('a date of the service is read as the platform reads it', () => {
  const dates = fc.date({ min: new Date(0), max: new Date('2999-12-31T23:59:59Z'), noInvalidDate: true });
  fc.assert(
    fc.property(fc.array(dates, { maxLength: 5 }), (list) => {
      for (const date of list) {
        const text = date.toUTCString();
        expect(parseServiceDate(text)).toBe(Date.parse(text));
      }
    }),
  );
});

test('and so is whatever a date has become', () => {
  const change = fc.record({ at: fc.nat(28), by: fc.constantFrom('', ' ', ':', '0', '9', 'x', '24', '60', 'Z') });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 3 }), (changes) => {
      const text = changes.reduce(
        (before, { at, by }) => before.slice(0, at) + by + before.slice(at + 1),
        'Sun, 06 Nov 1994 08:49:37 GMT',
      );
      expect(parseServiceDate(text)).toBe(Date.parse(text));
    }),
  );
});
