import { describe, expect, it } from 'vitest';
import { BlobAge } from '../../../../src/manifest/versions/blob-age.ts';
import { SYSTEM_TIME } from '../../../../src/manifest/records/time.ts';
import { VersionedBucket } from '../../../support/manifest/versioned.ts';

const MINUTE = 60_000;

async function ageBy(steps: { readonly wall: number; readonly monotonic: number }): Promise<BlobAge> {
  const { bucket } = await VersionedBucket.create();
  const clocks = { wall: 1_700_000_000_000, monotonic: 5000 };
  const time = { ...SYSTEM_TIME, monotonic: () => clocks.monotonic };
  const age = new BlobAge({ now: () => clocks.wall }, { ...bucket, home: { ...bucket.home, time } });
  expect(age.isTooOld).toBe(false);
  age.begin();
  clocks.wall += steps.wall;
  clocks.monotonic += steps.monotonic;
  return age;
}

describe('the age of a blob that no head names yet', () => {
  it.each([
    { what: 'a moment', wall: 100, monotonic: 100, renew: false, refuse: false },
    { what: 'six minutes', wall: 6 * MINUTE, monotonic: 6 * MINUTE, renew: true, refuse: false },
    {
      what: 'a machine that slept, whose monotonic clock stood still',
      wall: 20 * MINUTE,
      monotonic: 100,
      renew: true,
      refuse: true,
    },
    {
      what: 'a wall clock that was set back meanwhile',
      wall: -10 * MINUTE,
      monotonic: 16 * MINUTE,
      renew: true,
      refuse: true,
    },
  ])('after $what', async ({ wall, monotonic, renew, refuse }) => {
    const age = await ageBy({ wall, monotonic });
    expect(age.needsRenewal).toBe(renew);
    expect(age.isTooOld).toBe(refuse);
  });
});
