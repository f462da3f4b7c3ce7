import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { xmlDate } from '../../../../src/protocol/xml/xml-date.ts';

/** Written before all others in this process. */
const FIRST = Date.parse('2009-10-12T17:50:30Z');

describe('xmlDate', () => {
  it('is ISO 8601 cut to the second', () => {
    expect(xmlDate(Date.parse('2009-10-12T17:50:30.999Z'))).toBe('2009-10-12T17:50:30.000Z');
    expect(xmlDate(0)).toBe('1970-01-01T00:00:00.000Z');
  });

  it('agrees with Date, whatever day was written before', () => {
    const times = fc.array(fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }), { minLength: 2 });
    fc.assert(
      fc.property(times, (seconds) => {
        for (const second of seconds) expect(xmlDate(second * 1000 + 7)).toBe(new Date(second * 1000).toISOString());
      }),
    );
  });

  it('agrees with Date when times come again', () => {
    const times = fc.array(fc.constantFrom(0, 59, 60, 61, 3600, 86_399, 86_400, FIRST / 1000), { minLength: 3 });
    fc.assert(
      fc.property(times, (seconds) => {
        for (const second of seconds) expect(xmlDate(second * 1000)).toBe(new Date(second * 1000).toISOString());
      }),
    );
  });
});
