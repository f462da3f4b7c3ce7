import { beforeEach, describe, expect, test, vi } from 'vitest';
import { isStoreError } from '../../../src/store/store-error.ts';
import type * as claims from '../../../src/manifest/versions/upload-claim.ts';
import { stagingRef } from '../../../src/manifest/records/upload-names.ts';
import { at } from '../../../src/store/blob-store.ts';
import { type Scenario, explore } from './explore.ts';

type Claims = typeof claims;

/** What `replaceClaim` must not do, in its place. */
interface Plant {
  readonly name: string;
  readonly replace: (own: Claims) => Claims['replaceClaim'];
  /** What is wrong then. */
  readonly found: string;
}

let replace: Plant['replace'];
const asItIs: Plant['replace'] = (own) => own.replaceClaim;

vi.mock('../../../src/manifest/versions/upload-claim.ts', async (original) => {
  const own = await original<Claims>();
  const replaceClaim: Claims['replaceClaim'] = (...args) => replace(own)(...args);
  return { ...own, replaceClaim };
});

const MINUTE = 60_000;

/** A Complete stood still for so long that its claim has to be renewed before it may publish anything. */
const AGED: Scenario = {
  name: 'a Complete that was paused, and an Abort when its claim was old',
  begin: (world) => {
    world.pausesMs = 16 * MINUTE;
    world.begin('complete', world.a);
  },
  meanwhile: (world) => {
    // A request lives for less.
    world.time.advance(15 * MINUTE);
    world.begin('abort', world.b);
  },
};

const TAKEN_OVER: Scenario = {
  name: 'a Complete that was paused, and the same in another process',
  begin: (world) => {
    world.pausesMs = 6 * MINUTE;
    world.begin('complete', world.a);
  },
  meanwhile: (world) => void world.begin('complete', world.b),
};

const PLANTS: readonly Plant[] = [
  {
    name: 'the claim that was there is taken for the renewed one, which reads the same',
    replace: (own) => async (target, stored, claim, call) => {
      const metadata = { ...stored.rest, ...own.encodeClaim(claim) };
      const { store } = target.bucket.home;
      try {
        const { revision } = await store.setMetadata(stagingRef(target), metadata, at(stored.revision), call);
        return { ...stored, claim, revision };
      } catch (error) {
        if (isStoreError(error, 'conditionFailed', 'notFound')) return undefined;
      }
      const now = await own.readClaim(target, call);
      const text = (one: typeof claim): string => JSON.stringify(own.encodeClaim(one));
      return now !== undefined && text(now.claim) === text(claim) ? now : undefined;
    },
    found: 'completed and aborted',
  },
  {
    name: 'what is sent again has no condition',
    replace: (own) => async (target, stored, claim, call) => {
      const metadata = { ...stored.rest, ...own.encodeClaim(claim) };
      const { store } = target.bucket.home;
      let { revision } = stored;
      for (;;) {
        try {
          const written = await store.setMetadata(stagingRef(target), metadata, at(revision), call);
          return { ...stored, claim, revision: written.revision };
        } catch (error) {
          if (!isStoreError(error) || !error.lost) return undefined;
        }
        // Whatever is there.
        ({ revision } = await store.head(stagingRef(target), call));
      }
    },
    found: 'completed and aborted',
  },
];

const DEPARTURES = Number(process.env['CLAIMS_DEPARTURES'] ?? 2);

describe('a claim that is written anew', () => {
  beforeEach(() => {
    replace = asItIs;
  });

  test.each([AGED, TAKEN_OVER])(
    '$name: two faults, anywhere',
    async (scenario) => {
      const { runs, found } = await explore(scenario, { departures: DEPARTURES, faults: 2 });
      expect(found).toEqual([]);
      expect(runs).toBeGreaterThan(1000);
    },
    600_000,
  );

  test.each(PLANTS)(
    'planted: $name',
    async (plant) => {
      replace = plant.replace;
      const { found } = await explore(AGED, { departures: DEPARTURES, faults: 2 });
      expect(found.at(-1)).toBe(plant.found);
    },
    600_000,
  );
});
