import { describe, expect, test } from 'vitest';
import { CALENDAR } from '../../../../src/protocol/lifecycle/due.ts';
import { judge, type JudgedVersion } from '../../../../src/protocol/lifecycle/judge.ts';
import type { Lifecycle, S3LifecycleRule } from '../../../../src/protocol/lifecycle/lifecycle.ts';
import { mayMove } from '../../../../src/protocol/lifecycle/transitions.ts';

const NOW = Date.parse('2026-01-31T00:00:00Z');
const LARGE = 128 * 1024;
const CLASSES = [
  'STANDARD',
  'STANDARD_IA',
  'INTELLIGENT_TIERING',
  'ONEZONE_IA',
  'GLACIER_IR',
  'GLACIER',
  'DEEP_ARCHIVE',
];

const rule = (id: string, more: Partial<S3LifecycleRule>): S3LifecycleRule => ({
  id,
  isEnabled: true,
  filter: {},
  ...more,
});

describe('a class', () => {
  const targets = (from: string, lifecycle: Pick<Lifecycle, 'minimumSize'> = {}, size = LARGE): string[] =>
    CLASSES.filter((to) => mayMove(lifecycle, {}, { size, storageClass: from }, to));

  test.each([
    ['STANDARD', CLASSES.slice(1)],
    ['REDUCED_REDUNDANCY', CLASSES.slice(1)],
    ['STANDARD_IA', CLASSES.slice(2)],
    ['INTELLIGENT_TIERING', CLASSES.slice(3)],
    ['ONEZONE_IA', ['GLACIER', 'DEEP_ARCHIVE']],
    ['GLACIER_IR', ['GLACIER', 'DEEP_ARCHIVE']],
    ['GLACIER', ['DEEP_ARCHIVE']],
    ['DEEP_ARCHIVE', []],
    ['OUTPOSTS', []],
  ])('%s leads to colder ones only', (from, to) => {
    expect(targets(from)).toEqual(to);
  });

  test('takes small objects where a rule says a size, and an archive where the bucket says so', () => {
    expect(targets('STANDARD', {}, LARGE - 1)).toEqual([]);
    expect(targets('STANDARD', { minimumSize: 'all_storage_classes_128K' }, LARGE - 1)).toEqual([]);
    const varying = { minimumSize: 'varies_by_storage_class' } as const;
    expect(targets('STANDARD', varying, LARGE - 1)).toEqual(['GLACIER', 'DEEP_ARCHIVE']);
    expect(mayMove({}, { sizeAbove: 0 }, { size: 1 }, 'STANDARD_IA')).toBe(true);
    expect(mayMove({}, { sizeBelow: 9 }, { size: 1 }, 'STANDARD_IA')).toBe(true);
  });
});

describe('what comes first', () => {
  const days = Object.fromEntries([1, 2, 3].map((count) => [count, { days: count }]));
  const all = [
    rule('marker', { expiration: { days: 1 } }),
    rule('ia', { transitions: [{ ...days[1], storageClass: 'STANDARD_IA' }] }),
    rule('tiering', { transitions: [{ ...days[3], storageClass: 'INTELLIGENT_TIERING' }] }),
    rule('ir', { transitions: [{ ...days[1], storageClass: 'GLACIER_IR' }] }),
    rule('deep', { transitions: [{ days: 4, storageClass: 'DEEP_ARCHIVE' }] }),
    rule('glacier', { transitions: [{ ...days[2], storageClass: 'GLACIER' }] }),
    rule('old', { noncurrentExpiration: { days: 2 } }),
    rule('older', { noncurrentExpiration: { days: 1 } }),
    rule('cold', { noncurrentTransitions: [{ days: 1, newer: 2, storageClass: 'GLACIER' }] }),
  ];
  const order = (version: Partial<JudgedVersion>, isUnversioned = false): string[] =>
    judge(
      {
        key: 'k',
        size: LARGE,
        mtime: NOW - 10 * CALENDAR.ms,
        isMarker: false,
        place: { kind: 'current', isAlone: true },
        ...version,
      },
      { lifecycle: { rules: all }, isUnversioned, now: NOW, length: CALENDAR },
    ).map((action) => action.rule.rule.id);

  test.each([
    ['current: a move before a delete marker', {}, false, ['deep', 'glacier', 'tiering', 'ir', 'ia', 'marker']],
    ['current, without versions: the removal', {}, true, ['marker', 'deep', 'glacier', 'tiering', 'ir', 'ia']],
    ['one that is cold already', { storageClass: 'GLACIER' }, false, ['deep', 'marker']],
    ['one that is young', { mtime: NOW - 1 }, false, []],
    ['a delete marker is not moved', { isMarker: true, size: 0 }, false, ['marker']],
    [
      'noncurrent: the removal that was due first',
      { place: { kind: 'noncurrent', since: NOW - 5 * CALENDAR.ms, newer: 2 } },
      false,
      ['older', 'old', 'cold'],
    ],
    [
      'noncurrent, with too few newer ones to be moved',
      { place: { kind: 'noncurrent', since: NOW - 5 * CALENDAR.ms, newer: 1 } },
      false,
      ['older', 'old'],
    ],
  ] as const)('%s', (_name, version, isUnversioned, expected) => {
    expect(order(version, isUnversioned)).toEqual(expected);
  });
});
