import { describe, expect, it } from 'vitest';
import { checkHistory } from './check-history.ts';
import type { VersionsListing } from './check-listing.ts';
import { at, put, remove, removeVersion } from './events.ts';

const EVENTS = [
  put('a', at(1, 2), { versionId: '1' }),
  put('b', at(3, 4), { versionId: '2' }),
  remove('d', at(5, 6), '3'),
];

function listing(times: { began: number; ended: number }, ...lines: string[]): VersionsListing {
  const versions = lines.map((line, index) => {
    const [versionId = '', writer = ''] = line.split('=');
    return {
      versionId,
      latest: index === 0,
      marker: writer === 'MARKER',
      ...(writer !== 'MARKER' && { writers: [writer] }),
    };
  });
  return { id: 'list', key: 'k', ...times, versions };
}

function wrongs(list: VersionsListing, events = EVENTS): readonly string[] {
  return checkHistory({ events, listings: [list] }).wrong;
}

describe('a listing of versions', () => {
  it('is right when it shows what was there', () => {
    expect(wrongs(listing(at(7, 8), '3=MARKER', '2=b', '1=a'))).toEqual([]);
    expect(wrongs(listing(at(3, 4), '2=b', '1=a'))).toEqual([]);
    expect(wrongs(listing(at(3, 4), '1=a'))).toEqual([]);
    expect(wrongs(listing(at(8, 9), '3=MARKER', '1=a'), [...EVENTS, removeVersion(at(7, 12), '2')])).toEqual([]);
  });

  it.each([
    ['lacks what was there all the time', listing(at(7, 8), '3=MARKER', '1=a')],
    ['shows one twice', listing(at(7, 8), '3=MARKER', '2=b', '2=b', '1=a')],
    ['shows what came later', listing(at(1, 2), '2=b', '1=a')],
    ['shows what nobody wrote', listing(at(7, 8), '3=MARKER', '2=b', '1=a', '0=x')],
    ['has the older above the newer', listing(at(7, 8), '3=MARKER', '1=a', '2=b')],
    [
      'has two latest',
      {
        ...listing(at(7, 8), '3=MARKER', '2=b', '1=a'),
        versions: listing(at(7, 8), '3=MARKER', '2=b', '1=a').versions.map((version) => ({ ...version, latest: true })),
      },
    ],
    ['says latest of what was not', listing(at(7, 8), '2=b', '3=MARKER', '1=a')],
  ])('is wrong when it %s', (_why, list) => {
    expect(wrongs(list)).not.toEqual([]);
  });

  it('is wrong when it shows what was deleted before', () => {
    expect(wrongs(listing(at(9, 10), '3=MARKER', '2=b', '1=a'), [...EVENTS, removeVersion(at(7, 8), '2')])).not.toEqual(
      [],
    );
  });
});
