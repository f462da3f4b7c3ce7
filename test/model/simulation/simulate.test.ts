import { writeFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { FOUND } from './found.ts';
import { THEMES, type Theme, planOf } from './generate.ts';
import { plantNamed } from './plants.ts';
import { type SeedsOptions, simulateSeeds } from './seeds.ts';
import { simulate } from './simulate.ts';

vi.mock('../../../src/observe/random-id.ts', () => import('../interleaving/seeded-random.ts'));
vi.mock('node:crypto', async (original) => ({
  ...(await original<object>()),
  ...(await import('../interleaving/seeded-random.ts')),
}));

vi.mock('../../../src/manifest/versions/displace.ts', async (original) => ({
  ...(await original<object>()),
  ...(process.env['SIMULATE_PLANT'] === 'below' && { floorAbove: () => ({ floor: 0 }) }),
}));
vi.mock('../../../src/manifest/sweep/sweep-settings.ts', async (original) => {
  const real = await original<{ readonly SWEEP_DEFAULTS: object }>();
  const unguarded = { GRACE_MS: 0, SWEEP_DEFAULTS: { ...real.SWEEP_DEFAULTS, graceMs: 0, settleAfterMs: 0 } };
  return { ...real, ...(process.env['SIMULATE_PLANT'] === 'sweeper' && unguarded) };
});

const { SIMULATE_SEEDS: seeds, SIMULATE_SEED: seed, SIMULATE_STOP: stop, SIMULATE_THEMES: themes } = process.env;
const { SIMULATE_SHRINK: shrinks, SIMULATE_OUT: out, SIMULATE_PLANT: plant } = process.env;

/** Without being asked for one: all. */
function askedFor(): Pick<SeedsOptions, 'themes'> {
  if (themes === undefined || themes === 'all') return {};
  return { themes: themes.split(',').filter((name): name is Theme => THEMES.some((theme) => theme === name)) };
}

describe('gateways, clients and misfortunes of each seed', () => {
  it('lose nothing, mix nothing up and end', async () => {
    const range = { first: Number(seed ?? 1), seeds: Number(seeds ?? 300), stopAfter: Number(stop ?? 1) };
    const tally = await simulateSeeds({
      ...askedFor(),
      ...range,
      shrinking: shrinks !== 'no',
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
