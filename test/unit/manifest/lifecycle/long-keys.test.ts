import { expect, test } from 'vitest';
import type { LifecycleReport } from '../../../../src/manifest/lifecycle/lifecycle-report.ts';
import { type PortCall, wrapStore } from '../../../../src/store/wrap-store.ts';
import { testCall } from '../../../support/test-call.ts';
import { OWNER } from '../upload-fixture.ts';
import { countOf, LifecycleFixture, problemsOf, rule } from './lifecycle-fixture.ts';

/** With pages of one name: two turns, and some pages of a third. */
const VERSIONS = 45;
const KEPT = 42;

/** A bucket with a key of many versions, and beside it one that has its turn behind it. */
async function twoBuckets(): Promise<LifecycleFixture> {
  const world = await LifecycleFixture.open();
  const { gateway } = world.world;
  await world.world.version('enabled');
  for (let version = 0; version < VERSIONS; version++) await world.put('k', String(version));
  const rules = [
    rule('old', { filter: { prefix: 'k' }, noncurrentExpiration: { days: 1, newer: KEPT } }),
    rule('late', { filter: { prefix: '0' }, expiration: { days: 1 } }),
  ];
  await world.rules(...rules);
  const other = await gateway.addBucket('other');
  const expiring = { rules: [rule('r', { expiration: { days: 1 } })] };
  await gateway.buckets.amend(other, (settings) => ({ ...settings, lifecycle: expiring }), testCall());
  const request = { body: Buffer.from('x'), attributes: { headers: {}, userMetadata: {} }, ownerId: OWNER };
  await gateway.objects.put({ bucket: other, key: 'a' }, { ...request, conditions: {} }, testCall());
  world.days(3);
  return world;
}

const isListing = (container: string) => (call: PortCall) => call.method === 'list' && call.ref.container === container;

test('a key with many versions holds up no other bucket, and what is known of it stays known', async () => {
  const world = await twoBuckets();
  const done: string[] = [];
  const report = await world.run({}, { pageNames: 1, onDone: ({ name }) => done.push(name) });
  expect(problemsOf(report)).toEqual([]);
  expect(done).toEqual(['other', 'bucket', 'bucket']);
  expect(countOf(report, 'old')).toMatchObject({ lookedAt: VERSIONS, due: 2, done: 2 });
  expect((await world.list()).length).toBe(VERSIONS - 2);
});

test('it is not gone on with amid the key if another run has begun the next pass meanwhile', async () => {
  const world = await twoBuckets();
  const { memory } = world.world.gateway;
  let meanwhile: LifecycleReport[] | undefined;
  const store = wrapStore(memory, async (call, run) => {
    if (isListing('other')(call) && meanwhile === undefined) {
      meanwhile = [];
      meanwhile.push(await world.run({ bucket: 'bucket' }));
      await world.put('0', 'late');
      world.days(3);
      meanwhile.push(await brokenOff(world));
    }
    return run();
  });
  await world.run({}, { pageNames: 1, store });
  expect(meanwhile?.map(({ complete }) => complete)).toEqual([true, false]);
  expect((await world.list()).filter((version) => version.startsWith('0'))).toEqual(['0:-', '0:late*']);
});

/** A run that is told to stop when it has begun a pass. */
function brokenOff(world: LifecycleFixture): Promise<LifecycleReport> {
  const stop = new AbortController();
  const store = wrapStore(world.world.gateway.memory, async (call, run) => {
    if (!isListing('bucket')(call)) return run();
    stop.abort();
    throw stop.signal.reason;
  });
  return world.run({ bucket: 'bucket' }, { call: testCall(stop.signal), store });
}
