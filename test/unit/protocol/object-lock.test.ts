import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  LOCK_MODES,
  type Retention,
  formatRetainUntil,
  isKept,
  keepsMore,
  mayBecome,
  parseRetainUntil,
  retentionByDefault,
} from '../../../src/protocol/object-lock.ts';

const at = (date: string): number => Date.parse(`${date}T12:00:00Z`);
const retentions = fc.record({ mode: fc.constantFrom(...LOCK_MODES), until: fc.integer({ min: 0, max: 1000 }) });
const questions = fc.record({ now: fc.integer({ min: 0, max: 1000 }), bypass: fc.boolean() });
const maybe = fc.option(retentions, { nil: undefined });

/** What a lock of this retention alone says. */
function keeps(retention: Retention | undefined, question: { now: number; bypass: boolean }): boolean {
  return isKept(retention === undefined ? {} : { retention }, question);
}

describe('retention by default', () => {
  it.each([
    [{ mode: 'GOVERNANCE', days: 1 }, '2028-02-28', '2028-02-29'],
    [{ mode: 'GOVERNANCE', days: 366 }, '2027-03-01', '2028-03-01'],
    [{ mode: 'COMPLIANCE', days: 36_500 }, '2026-01-01', '2125-12-08'],
    [{ mode: 'COMPLIANCE', years: 1 }, '2027-03-01', '2028-03-01'],
    [{ mode: 'COMPLIANCE', years: 1 }, '2028-02-29', '2029-03-01'],
    [{ mode: 'COMPLIANCE', years: 100 }, '2026-07-09', '2126-07-09'],
  ] as const)('%j from %s ends on %s', (rule, from, to) => {
    expect(retentionByDefault(rule, at(from))).toEqual({ mode: rule.mode, until: at(to) });
  });
});

describe('a lock', () => {
  it('keeps a version until its retention is over', () => {
    const retention = { mode: 'COMPLIANCE', until: 10 } as const;
    expect([9, 10, 11].map((now) => keeps(retention, { now, bypass: true }))).toEqual([true, false, false]);
  });

  it('with a hold keeps it whatever else is said', () => {
    fc.assert(
      fc.property(maybe, questions, (retention, question) =>
        isKept({ legalHold: true, ...(retention && { retention }) }, question),
      ),
    );
  });

  it('is got round by those who may, if it is governance', () => {
    fc.assert(
      fc.property(retentions, questions, (retention, { now }) => {
        const isOver = retention.until <= now;
        expect(keeps(retention, { now, bypass: false })).toBe(!isOver);
        expect(keeps(retention, { now, bypass: true })).toBe(!isOver && retention.mode === 'COMPLIANCE');
      }),
    );
  });
});

describe('a change of retention', () => {
  it('never frees a version earlier than it was promised', () => {
    fc.assert(
      fc.property(maybe, maybe, questions, (before, after, question) => {
        if (!mayBecome(before, after, question)) return;
        for (let now = question.now; now <= 1000; now += 50) {
          const later = { ...question, now };
          if (keeps(before, question)) expect(keeps(after, later) || !keeps(before, later)).toBe(true);
        }
      }),
    );
  });

  it('is free where nothing holds', () => {
    fc.assert(
      fc.property(
        maybe,
        maybe,
        questions,
        (before, after, question) => keeps(before, question) || mayBecome(before, after, question),
      ),
    );
  });

  it('may make it longer, and leave it as it is', () => {
    const longer = fc
      .tuple(retentions, fc.nat(100))
      .map(([before, more]) => [before, { ...before, until: before.until + more }] as const);
    fc.assert(fc.property(longer, questions, ([before, after], question) => mayBecome(before, after, question)));
  });
});

describe('the date of retention', () => {
  it.each([
    ['2030-01-01T00:00:00Z', '2030-01-01T00:00:00.000Z'],
    ['2030-01-01T00:00:00.5Z', '2030-01-01T00:00:00.500Z'],
    ['2030-01-01T00:00:00.123456789Z', '2030-01-01T00:00:00.123Z'],
    ['2030-01-01T01:30:00+01:30', '2030-01-01T00:00:00.000Z'],
    ['2029-12-31T19:00:00-0500', '2030-01-01T00:00:00.000Z'],
  ])('%s is %s', (text, same) => {
    const until = parseRetainUntil(text);
    expect(until === undefined ? undefined : formatRetainUntil({ mode: 'GOVERNANCE', until })).toBe(same);
  });

  it.each([
    '',
    '2030',
    '2030-01-01',
    '2030-01-01T00:00:00',
    '2030-01-01 00:00:00Z',
    '2030-13-01T00:00:00Z',
    '2030-02-29T00:00:00Z',
    '2030-04-31T00:00:00+02:00',
    '2030-01-00T00:00:00Z',
    '1893456000',
    'Tue, 01 Jan 2030 00:00:00 GMT',
  ])('%j is none', (text) => {
    expect(parseRetainUntil(text)).toBeUndefined();
  });
});

describe('a lock that keeps more than another', () => {
  const governance = (until: number) => ({ retention: { mode: 'GOVERNANCE', until } }) as const;
  it.each([
    ['a hold put on', { legalHold: true }, {}, true],
    ['a hold taken off', { legalHold: false }, { legalHold: true }, false],
    ['the same hold', { legalHold: true }, { legalHold: true }, false],
    ['a first retention', governance(2), {}, true],
    ['a longer one', governance(2), governance(1), true],
    ['a shorter one', governance(1), governance(2), false],
    ['none', {}, governance(2), false],
    ['another mode', { retention: { mode: 'COMPLIANCE', until: 1 } }, governance(2), true],
  ] as const)('%s', (_what, lock, other, expected) => {
    expect(keepsMore(lock, other)).toBe(expected);
  });
});
