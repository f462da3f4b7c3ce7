import { expect, test } from 'vitest';
import type { BlobStore } from '../../../../src/store/blob-store.ts';
import { type PortCall, wrapStore } from '../../../../src/store/wrap-store.ts';
import { testCall } from '../../../support/test-call.ts';
import { OWNER } from '../upload-fixture.ts';
import { CLASSES, countOf, LifecycleFixture, rule } from './lifecycle-fixture.ts';

const TAGS = [{ key: 'team', value: 'a' }];

/** A store of a run, in which a client changes something when the run has made such a call for the first time. */
function changedAfter(store: BlobStore, isIt: (call: PortCall) => boolean, change: () => Promise<unknown>): BlobStore {
  let isFirst = true;
  return wrapStore(store, async (call, run) => {
    const result = await run();
    if (!isFirst || !isIt(call)) return result;
    isFirst = false;
    await change();
    return result;
  });
}

test('an object whose tag was taken away since it was judged stays', async () => {
  const world = await LifecycleFixture.open();
  const { memory, objects, bucket } = world.world.gateway;
  await world.put('a', 'x', { tags: TAGS });
  await world.rules(rule('r', { filter: { tag: { key: 'team', value: 'a' } }, expiration: { days: 1 } }));
  world.days(3);
  const untag = (): Promise<unknown> => objects.amend({ bucket, key: 'a' }, () => ({ tags: [] }), testCall());
  const isLook = ({ method, ref }: PortCall): boolean => method === 'head' && ref.name === 'a';
  const report = await world.run({}, { store: changedAfter(memory, isLook, untag) });
  expect(await world.list()).toEqual(['a:x']);
  expect(countOf(report, 'r')).toMatchObject({ due: 1, done: 0, changed: 1 });
});

test('as many noncurrent versions as a rule asks for stay, although a client has removed another since', async () => {
  const world = await LifecycleFixture.open();
  await world.world.version('enabled');
  const { memory, objects } = world.world.gateway;
  await world.put('a', '1');
  const second = await world.put('a', '2');
  await world.put('a', '3');
  await world.rules(rule('r', { noncurrentExpiration: { days: 1, newer: 1 } }));
  world.days(3);
  const bucket = await world.world.gateway.buckets.latest(world.world.gateway.bucket, testCall());
  const remove = (): Promise<unknown> =>
    objects.remove({ bucket, key: 'a', versionId: second }, { conditions: {}, ownerId: OWNER }, testCall());
  const isListing = ({ method, ref }: PortCall): boolean => method === 'list' && ref.container !== 'system';
  const report = await world.run({}, { store: changedAfter(memory, isListing, remove) });
  expect(await world.list()).toEqual(['a:3', 'a:1*']);
  expect(countOf(report, 'r')).toMatchObject({ due: 1, done: 0, changed: 1 });
});

/** Small objects are moved, too, where a rule says a size. */
const ANY_SIZE = { prefix: '', sizeAbove: 0 };

test('an object whose tag was taken away since it was judged is not moved', async () => {
  const world = await LifecycleFixture.open({ classes: CLASSES });
  const { memory, objects, bucket } = world.world.gateway;
  await world.put('a', 'x', { tags: TAGS });
  const transitions = [{ days: 1, storageClass: 'STANDARD_IA' }];
  await world.rules(rule('r', { filter: { and: { ...ANY_SIZE, tags: TAGS } }, transitions }));
  world.days(3);
  const untag = (): Promise<unknown> => objects.amend({ bucket, key: 'a' }, () => ({ tags: [] }), testCall());
  const isLook = ({ method, ref }: PortCall): boolean => method === 'head' && ref.name === 'a';
  const report = await world.run({}, { store: changedAfter(memory, isLook, untag) });
  expect(await world.classes()).toEqual(['a:STANDARD']);
  expect(countOf(report, 'r')).toMatchObject({ due: 1, done: 0, changed: 1 });
});

test('nor a noncurrent version, if a client has removed one of those that a rule leaves in their class', async () => {
  const world = await LifecycleFixture.open({ classes: CLASSES });
  await world.world.version('enabled');
  const { memory, objects } = world.world.gateway;
  await world.put('a', '1');
  const second = await world.put('a', '2');
  await world.put('a', '3');
  const noncurrentTransitions = [{ days: 1, newer: 1, storageClass: 'STANDARD_IA' }];
  await world.rules(rule('r', { filter: { and: { ...ANY_SIZE, tags: [] } }, noncurrentTransitions }));
  world.days(3);
  const bucket = await world.world.gateway.buckets.latest(world.world.gateway.bucket, testCall());
  const remove = (): Promise<unknown> =>
    objects.remove({ bucket, key: 'a', versionId: second }, { conditions: {}, ownerId: OWNER }, testCall());
  const isListing = ({ method, ref }: PortCall): boolean => method === 'list' && ref.container !== 'system';
  const report = await world.run({}, { store: changedAfter(memory, isListing, remove) });
  expect(await world.classes()).toEqual(['a:STANDARD', 'a:STANDARD*']);
  expect(countOf(report, 'r')).toMatchObject({ due: 1, done: 0, changed: 1 });
});
