import { afterEach, expect, test, vi } from 'vitest';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import { auditContainers } from '../../../../src/manifest/buckets/container-audit.ts';
import type { Backend } from '../../../../src/manifest/buckets/realm.ts';
import { SWEEP_DEFAULTS } from '../../../../src/manifest/sweep/sweep-run.ts';
import { sweep } from '../../../../src/manifest/sweep/sweep.ts';
import { type ContainerParts, placeId, placeIds, placedStore } from '../../../../src/store/placed-store.ts';
import { testCall } from '../../../support/test-call.ts';
import { problemsOf } from './sweep-fixture.ts';

/* Buckets that are parts of containers, under the broom. */

const PLACE = { container: 'shared', prefix: 'a/' };
const OURS = `placed.${placeId(PLACE)}`;

afterEach(() => {
  vi.useRealTimers();
});

async function newStore(): Promise<MemoryBlobStore> {
  vi.useFakeTimers({ toFake: ['Date'] });
  const memory = new MemoryBlobStore();
  for (const name of ['system', 'shared']) await memory.createContainer(name, {}, testCall());
  for (const uid of [OURS, 'gone']) {
    const ref = { container: 'system', name: `x/${uid}/key` };
    await memory.write(ref, Buffer.from('left'), { metadata: {} }, testCall());
  }
  await memory.write({ container: 'shared', name: 'a/k' }, Buffer.from('k'), { metadata: {} }, testCall());
  return memory;
}

function backendOver(memory: MemoryBlobStore, places: ContainerParts): Backend {
  const store = placedStore(memory, places);
  return { name: 'test', store, systemContainer: 'system', ownerId: 'owner', places: placeIds(places) };
}

test.each([
  ['named by the configuration', new Map([['part', PLACE]])],
  ['named otherwise', new Map([['other-name', PLACE]])],
  ['not named any more', new Map()],
])('what belongs to a place stays, %s; what belongs to no bucket goes', async (_what, places: ContainerParts) => {
  const memory = await newStore();
  vi.setSystemTime(Date.now() + 48 * 3_600_000);
  const backend = backendOver(memory, places);
  const realm = { backends: [backend], backendOf: () => backend };
  const report = await sweep({ realm, backends: [backend], settings: SWEEP_DEFAULTS }, testCall());
  expect(problemsOf(report)).toEqual([]);
  const { entries } = await memory.list('system', { limit: 100 }, testCall());
  expect(entries.map(({ name }) => name)).toEqual([`x/${OURS}/key`]);
  expect((await memory.list('shared', { limit: 100 }, testCall())).entries).toHaveLength(1);
});

test('the audit has nothing against a container with parts', async () => {
  const backend = backendOver(await newStore(), new Map([['part', PLACE]]));
  expect(await auditContainers(backend, testCall())).toEqual([]);
});
