import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { RECORDS } from '../../../../src/manifest/buckets/record-names.ts';
import { testCall } from '../../../support/test-call.ts';
import { LifecycleFixture, problemsOf, rule } from '../lifecycle/lifecycle-fixture.ts';
import type { UploadFixture } from '../upload-fixture.ts';
import { UsageFixture } from '../usage/usage-fixture.ts';

/** A bucket beside the fixture's own, whose record a later release has written. */
async function addOfLaterRelease({ memory, addBucket }: { memory: UploadFixture['memory']; addBucket: () => unknown }) {
  const namesOf = async (): Promise<string[]> =>
    (await memory.list('system', { prefix: RECORDS, limit: 100 }, testCall())).entries.map(({ name }) => name);
  const before = new Set(await namesOf());
  await addBucket();
  const name = (await namesOf()).find((one) => !before.has(one)) ?? '';
  const { metadata } = await memory.head({ container: 'system', name }, testCall());
  await memory.write({ container: 'system', name }, Buffer.from('{"format":99}'), { metadata }, testCall());
  // Longer than the fixtures' processes remember a bucket.
  await sleep(40);
}

const PROBLEM = 'bucket a-later-one: bucket record of format 99 cannot be read by this release';

test('a record that cannot be read keeps lifecycle rules from no other bucket', async () => {
  const world = await LifecycleFixture.open();
  const { gateway } = world.world;
  await world.put('a', 'x');
  await world.rules(rule('r', { expiration: { days: 1 } }));
  await addOfLaterRelease({ memory: gateway.memory, addBucket: () => gateway.addBucket('a-later-one') });
  world.days(3);
  const report = await world.run();
  expect(await world.list()).toEqual([]);
  expect(problemsOf(report)).toEqual([PROBLEM]);
});

test('nor does it keep the usage of others from being counted', async () => {
  const usage = await UsageFixture.open();
  const { gateway } = usage.world;
  await usage.put('a', 'one');
  await addOfLaterRelease({ memory: gateway.memory, addBucket: () => gateway.addBucket('a-later-one') });
  const report = await usage.count();
  expect(report.problems).toEqual([PROBLEM]);
  expect(await usage.counted()).toMatchObject({ classes: [{ currentObjects: 1, currentBytes: 3 }] });
});
