import { afterEach, expect, test, vi } from 'vitest';
import type { LifecycleFilter, S3LifecycleRule } from '../../../src/protocol/lifecycle/lifecycle.ts';
import { propertySeed } from '../../support/property-seed.ts';
import { Random } from '../../support/random.ts';
import { LifecycleFixture, problemsOf, rule } from '../../unit/manifest/lifecycle/lifecycle-fixture.ts';
import { LifecycleModel } from './lifecycle-model.ts';

afterEach(() => {
  vi.useRealTimers();
});

const HISTORIES = 20;
const STEPS = 40;
const KEYS = ['a', 'a/1', 'a/2', 'b'];
const TAG = { key: 'k', value: 'v' };
const HOUR = 3_600_000;

function randomRule(random: Random, id: string): S3LifecycleRule {
  const filter = random.pick<LifecycleFilter>([
    {},
    { prefix: 'a' },
    { prefix: 'a/' },
    { tag: TAG },
    { sizeAbove: 4 },
    { sizeBelow: 1 },
  ]);
  const days = 1 + random.below(3);
  const isPlain = filter.tag === undefined && filter.sizeAbove === undefined && filter.sizeBelow === undefined;
  const actions: Partial<S3LifecycleRule>[] = [
    { expiration: { days } },
    { noncurrentExpiration: { days } },
    { noncurrentExpiration: { days, newer: 1 + random.below(2) } },
    ...(isPlain ? [{ expiration: { loneMarkers: true } }] : []),
  ];
  return rule(id, { filter, isEnabled: !random.oneIn(6), ...random.pick(actions) });
}

test('random histories under random rules end as the model says', async () => {
  for (let history = 0; history < HISTORIES; history++) {
    const random = new Random(propertySeed + history);
    const world = await LifecycleFixture.open();
    const model = new LifecycleModel();
    const rules = [0, 1, 2].map((n) => randomRule(random, `rule-${String(n)}`));
    await world.rules(...rules);
    const told: string[] = [];
    for (let step = 0; step < STEPS; step++) {
      told.push(await takeStep(random, { world, model, rules, step }));
      expect(await world.list(), `history ${String(history)}: ${JSON.stringify(rules)}\n${told.join('\n')}`).toEqual(
        model.list(),
      );
    }
    vi.useRealTimers();
  }
}, 120_000);

interface Scene {
  readonly world: LifecycleFixture;
  readonly model: LifecycleModel;
  readonly rules: readonly S3LifecycleRule[];
  readonly step: number;
}

async function takeStep(random: Random, { world, model, rules, step }: Scene): Promise<string> {
  const key = random.pick(KEYS);
  // So that no two versions are of one second.
  vi.setSystemTime(Date.now() + 1000 + random.below(5) * 7 * HOUR);
  const at = new Date().toISOString();
  const choice = random.below(10);
  if (choice < 5) {
    const made = { text: 'x'.repeat(1 + random.below(9)) + String(step), tags: random.oneIn(2) ? [TAG] : [] };
    model.put(key, made, Date.now());
    await world.put(key, made.text, { ...(made.tags.length > 0 && { tags: made.tags }) });
    return `${at} put ${key} ${made.text}`;
  }
  if (choice < 7) {
    model.remove(key, Date.now());
    await world.world.remove(undefined, key);
    return `${at} remove ${key}`;
  }
  if (choice < 9) {
    model.pass(rules, Date.now());
    expect(problemsOf(await world.run())).toEqual([]);
    return `${at} pass`;
  }
  const versioning = random.pick(['enabled', 'suspended'] as const);
  model.versioning = versioning;
  await world.world.version(versioning);
  return `${at} ${versioning}`;
}
