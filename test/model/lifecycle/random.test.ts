import { afterEach, expect, test, vi } from 'vitest';
import { withFaults } from '../../../adapters/doubles/faults.ts';
import { LEASE_MS } from '../../../src/manifest/passes/pass-lease.ts';
import type { Lifecycle, LifecycleFilter, S3LifecycleRule } from '../../../src/protocol/lifecycle/lifecycle.ts';
import type { BlobRef } from '../../../src/store/blob-store.ts';
import { propertySeed } from '../../support/property-seed.ts';
import { Random } from '../../support/random.ts';
import { testCall } from '../../support/test-call.ts';
import { CLASSES, LifecycleFixture, problemsOf, rule } from '../../unit/manifest/lifecycle/lifecycle-fixture.ts';
import { LifecycleModel } from './lifecycle-model.ts';

afterEach(() => {
  vi.useRealTimers();
});

const HISTORIES = Number(process.env['LIFECYCLE_HISTORIES'] ?? 20);
const STEPS = 40;
const KEYS = ['a', 'a/1', 'a/2', 'b'];
const TAG = { key: 'k', value: 'v' };
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Where S3 draws the line below which nothing is moved. */
const LINE = 128 * 1024;
const MOVES = ['STANDARD_IA', 'INTELLIGENT_TIERING', 'ONEZONE_IA', 'GLACIER_IR', 'GLACIER', 'DEEP_ARCHIVE'];

function randomFilter(random: Random): LifecycleFilter {
  return random.pick<LifecycleFilter>([
    {},
    { prefix: 'a' },
    { prefix: 'a/' },
    { tag: TAG },
    { sizeAbove: 4 },
    { sizeBelow: 1 },
    { and: { prefix: 'a', tags: [TAG] } },
    { and: { tags: [], sizeAbove: 2, sizeBelow: LINE } },
  ]);
}

/** One or two actions. */
function randomRule(random: Random, id: string): S3LifecycleRule {
  const filter = randomFilter(random);
  const days = (): number => random.below(4);
  const { tag, and, sizeAbove, sizeBelow } = filter;
  const isPlain = [tag, and, sizeAbove, sizeBelow].every((one) => one === undefined);
  const newer = random.oneIn(2) ? {} : { newer: 1 + random.below(2) };
  const moment = random.oneIn(6) ? { date: Math.floor(Date.now() / DAY + random.below(9)) * DAY } : { days: days() };
  const actions: Partial<S3LifecycleRule>[] = [
    { expiration: { days: 1 + days() } },
    { noncurrentExpiration: { days: 1 + days(), ...newer } },
    { transitions: [{ ...moment, storageClass: random.pick(MOVES) }] },
    { transitions: random.some(MOVES, 2).map((storageClass) => ({ days: days(), storageClass })) },
    { noncurrentTransitions: [{ days: days(), ...newer, storageClass: random.pick(MOVES) }] },
    ...(isPlain ? [{ expiration: { loneMarkers: true } }] : []),
  ];
  return rule(id, { filter, isEnabled: !random.oneIn(6), ...random.pick(actions), ...random.pick(actions) });
}

test(
  'random histories under random rules end as the model says',
  async () => {
    for (let history = 0; history < HISTORIES; history++) {
      const random = new Random(propertySeed + history);
      const world = await LifecycleFixture.open({ classes: CLASSES, capabilities: { archiveIsOffline: false } });
      const model = new LifecycleModel();
      const lifecycle: Lifecycle = {
        rules: [0, 1, 2].map((n) => randomRule(random, `rule-${String(n)}`)),
        ...(random.oneIn(2) && { minimumSize: 'varies_by_storage_class' }),
      };
      await world.configure(lifecycle);
      const told: string[] = [];
      for (let step = 0; step < STEPS; step++) {
        told.push(await takeStep(random, { world, model, lifecycle, step }));
        const said = `history ${String(history)}: ${JSON.stringify(lifecycle)}\n${told.join('\n')}`;
        expect(await world.list(), said).toEqual(model.list());
        expect(await world.classes(), said).toEqual(model.classes());
      }
      vi.useRealTimers();
    }
  },
  60_000 + HISTORIES * 5000,
);

interface Scene {
  readonly world: LifecycleFixture;
  readonly model: LifecycleModel;
  readonly lifecycle: Lifecycle;
  readonly step: number;
}

async function takeStep(random: Random, { world, model, lifecycle, step }: Scene): Promise<string> {
  const key = random.pick(KEYS);
  // So that no two versions are of one second.
  vi.setSystemTime(Date.now() + 1000 + random.below(5) * 7 * HOUR);
  const at = new Date().toISOString();
  const choice = random.below(12);
  if (choice < 5) {
    const size = random.oneIn(3) ? LINE - 1 + random.below(2) : 3 + random.below(5);
    const made = { text: String(step), size, tags: random.oneIn(2) ? [TAG] : [] };
    model.put(key, made, Date.now());
    await world.put(key, made.text.padEnd(size, '.'), { ...(made.tags.length > 0 && { tags: made.tags }) });
    return `${at} put ${key} ${made.text}, ${String(size)} bytes, ${String(made.tags.length)} tags`;
  }
  if (choice < 7) {
    model.remove(key, Date.now());
    await world.world.remove(undefined, key);
    return `${at} remove ${key}`;
  }
  if (choice < 9) {
    const passes = random.oneIn(4) ? await brokenPasses(random, world) : await onePass(random, world);
    for (let n = 0; n < passes; n++) model.pass(lifecycle, Date.now());
    return `${at} ${String(passes)} passes`;
  }
  if (choice < 10) {
    const until = Date.now() + random.below(5) * DAY;
    if (model.lock(key, until)) await world.lock(key, until);
    return `${at} lock ${key} until ${new Date(until).toISOString()}`;
  }
  const versioning = model.hasLocks ? 'enabled' : random.pick(['enabled', 'suspended'] as const);
  model.versioning = versioning;
  await world.world.version(versioning);
  return `${at} ${versioning}`;
}

/** @returns how many passes it makes */
async function onePass(random: Random, world: LifecycleFixture): Promise<number> {
  const reports = await Promise.all(random.oneIn(3) ? [world.run(), world.run()] : [world.run()]);
  expect(reports.flatMap(problemsOf)).toEqual([]);
  return 1;
}

/** Passes after which nothing more is due on one day. */
const ENOUGH = 4;

/**
 * A run that ends at some call, and others after it. What the first had done is not known to the second: it may do one
 * thing more to some versions. At last nothing is left to be done.
 */
async function brokenPasses(random: Random, world: LifecycleFixture): Promise<number> {
  const left = 1 + random.below(40);
  const stop = new AbortController();
  let calls = 0;
  const store = withFaults(world.world.gateway.memory, () => {
    if (++calls < left) return undefined;
    stop.abort();
    return { kind: 'fail' };
  });
  await world.run({}, { store, call: testCall(stop.signal) });
  // What the dead one held is over by now; its day is not.
  const midnight = Math.ceil((Date.now() + 1) / DAY) * DAY;
  const later = Date.now() + LEASE_MS + 1000;
  const { memory } = world.world.gateway;
  if (later >= midnight) await memory.remove(noteOf(world), undefined, testCall()).catch(() => undefined);
  const serviceTime = (): number => Math.min(later, midnight - 1);
  for (let n = 0; n < ENOUGH; n++) expect(problemsOf(await world.run({}, { serviceTime }))).toEqual([]);
  return ENOUGH;
}

function noteOf({ world }: LifecycleFixture): BlobRef {
  return { container: world.bucket.home.system, name: `l/${world.bucket.uid}/pass` };
}
