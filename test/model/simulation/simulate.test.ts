import { writeFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import type { finishDeletion } from '../../../src/manifest/versions/displace.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { FOUND } from './found.ts';
import { ALL_THEMES, type Theme, planOf } from './generate.ts';
import { plantNamed } from './plants.ts';
import { type SeedsOptions, simulateSeeds } from './seeds.ts';
import { simulate } from './simulate.ts';

vi.mock('../../../src/observe/random-id.ts', () => import('../interleaving/seeded-random.ts'));
vi.mock('node:crypto', async (original) => ({
  ...(await original<object>()),
  ...(await import('../interleaving/seeded-random.ts')),
}));

/** Those that take the place of a function. */
const planted = vi.hoisted(() => new Set([process.env['SIMULATE_PLANT']]));

vi.mock('../../../src/manifest/versions/displace.ts', async (original) => {
  const real = await original<{ readonly finishDeletion: typeof finishDeletion }>();
  return {
    ...real,
    ...(planted.has('below') && { floorAbove: () => ({ floor: 0 }) }),
    // A DELETE by id that finds nothing visible is answered without a look at the log.
    finishDeletion: async (...args: Parameters<typeof finishDeletion>) =>
      planted.has('deletion') ? false : real.finishDeletion(...args),
  };
});
vi.mock('../../../src/manifest/sweep/sweep-run.ts', async (original) => {
  const real = await original<{ readonly SWEEP_DEFAULTS: object }>();
  const unguarded = { GRACE_MS: 0, SWEEP_DEFAULTS: { ...real.SWEEP_DEFAULTS, graceMs: 0, settleAfterMs: 0 } };
  return { ...real, ...(process.env['SIMULATE_PLANT'] === 'sweeper' && unguarded) };
});

const { SIMULATE_SEEDS: seeds, SIMULATE_SEED: seed, SIMULATE_STOP: stop, SIMULATE_THEMES: themes } = process.env;
const { SIMULATE_SHRINK: shrinks, SIMULATE_OUT: out, SIMULATE_PLANT: plant } = process.env;
const { SIMULATE_PLACED: placed } = process.env;
/** Of a bucket that the configuration gives, nobody makes or removes any. */
const OF_PLACES: readonly Theme[] = ['objects', 'versions', 'uploads'];

/** Without being asked for one: all. */
function askedFor(): Pick<SeedsOptions, 'themes'> {
  if (themes === undefined || themes === 'all') return placed === 'yes' ? { themes: OF_PLACES } : {};
  return { themes: themes.split(',').filter((name): name is Theme => ALL_THEMES.some((theme) => theme === name)) };
}

describe('gateways, clients and misfortunes of each seed', () => {
  it('lose nothing, mix nothing up and end', async () => {
    const range = { first: Number(seed ?? 1), seeds: Number(seeds ?? 300), stopAfter: Number(stop ?? 1) };
    const tally = await simulateSeeds({
      ...askedFor(),
      ...range,
      shrinking: shrinks !== 'no',
      placed: placed === 'yes',
      plant: plantNamed(plant),
    });
    const { found, ...figures } = tally;
    const stories = found.map((one) => `===== seed ${one.seed}\n${one.story}\n`).join('');
    if (out !== undefined && out !== '') writeFileSync(out, stories);
    if (seeds !== undefined) console.log(JSON.stringify({ ...figures, found: found.length }));
    expect(
      found.map((one) => one.seed),
      stories,
    ).toEqual([]);
  }, 86_400_000);

  it('nor do they where copies are at stake, of what processes have looked at before', async () => {
    const range = { first: Number(seed ?? 1), seeds: Math.ceil(Number(seeds ?? 300) / 4), stopAfter: 1 };
    const { found } = await simulateSeeds({ ...range, themes: ['copies'] });
    expect(
      found.map((one) => one.seed),
      found.map(({ story }) => story).join('\n'),
    ).toEqual([]);
  }, 86_400_000);

  it('nor do they where deletions by id are repeated, and the id is read through every gateway', async () => {
    const range = { first: Number(seed ?? 1), seeds: Math.ceil(Number(seeds ?? 300) / 4), stopAfter: 1 };
    const { found } = await simulateSeeds({ ...range, themes: ['deletions'] });
    expect(
      found.map((one) => one.seed),
      found.map(({ story }) => story).join('\n'),
    ).toEqual([]);
  }, 86_400_000);

  it('nor do they where objects are archived, and lifecycle rules move and remove them beside clients', async () => {
    const range = { first: Number(seed ?? 1), seeds: Math.ceil(Number(seeds ?? 300) / 8), stopAfter: 1 };
    const { found } = await simulateSeeds({ ...range, themes: ['tiers'] });
    expect(
      found.map((one) => one.seed),
      found.map(({ story }) => story).join('\n'),
    ).toEqual([]);
  }, 86_400_000);

  it('are found out when copies take whatever is there', async () => {
    const { wrong } = await simulate(planOf(171, { themes: ['copies'] }), { plant: 'source' });
    expect(wrong).not.toEqual([]);
  });

  it('are found out when a repeated deletion by id leaves what the first one left', async () => {
    planted.add('deletion');
    const { wrong } = await simulate(planOf(5, { themes: ['deletions'] })).finally(() => planted.delete('deletion'));
    expect(wrong).toContainEqual(expect.stringMatching(/deleteVersion[^]*none of these is true[^]*read/));
  });

  it('nor do they where the bucket is part of a container', async () => {
    const { found, faults } = await simulateSeeds({ first: 1, seeds: 60, themes: OF_PLACES, placed: true });
    expect(
      found.map((one) => one.seed),
      found.map(({ story }) => story).join('\n'),
    ).toEqual([]);
    expect(faults).toBeGreaterThan(0);
  }, 300_000);

  it('are found out when they touch what lies around such a bucket', async () => {
    const spoil = (store: BlobStore): BlobStore => ({
      ...store,
      write: (ref, ...rest) => store.write(ref.name === 'k' ? { ...ref, container: 'beside' } : ref, ...rest),
    });
    const { wrong } = await simulate(planOf(1, { themes: ['objects'] }), { placed: true, spoil });
    expect(wrong).toContainEqual(expect.stringMatching(/^around the bucket .*"teams\/b\/k"/));
  });

  it.each(Object.entries(FOUND))('are right when %s', async (_what, plan) => {
    const { wrong, trace } = await simulate(plan);
    expect(wrong, trace.join('\n')).toEqual([]);
  });

  it('do the same again when they are asked again', async () => {
    for (const number of [3, 70, 103]) {
      const [first, second] = [await simulate(planOf(number)), await simulate(planOf(number))];
      expect(second).toEqual(first);
      expect(first.calls).toBeGreaterThan(10);
    }
  });
});
