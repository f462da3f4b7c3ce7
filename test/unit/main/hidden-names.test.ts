import { expect, test } from 'vitest';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import { createBucketRegistry } from '../../../src/manifest/buckets/buckets.ts';
import { hiddenBuckets } from '../../../src/manifest/buckets/hidden-buckets.ts';
import type { Backend } from '../../../src/manifest/buckets/realm.ts';
import { bucketNames } from '../../../src/main/bucket-rules.ts';
import { warnOfHiddenBuckets } from '../../../src/main/hidden-names.ts';
import { judgeNames } from '../../../src/main/preflight/preflight.ts';
import { containersBehind, placeIds, placedStore } from '../../../src/store/placed-store.ts';
import { testCall } from '../../support/test-call.ts';

function newBackend(name: string): Backend {
  return { name, store: new MemoryBlobStore(), systemContainer: 'system', ownerId: 'owner' };
}

/** Buckets that stand before anybody configures names. */
async function made(backend: Backend, names: readonly string[], native: readonly string[] = []): Promise<void> {
  const { realm } = bucketNames([backend], { rules: [], aliases: [] });
  const registry = createBucketRegistry({ realm, cacheMs: 0, onHidden: () => undefined });
  for (const name of names) await registry.create({ name, ownerId: 'tenant' }, testCall());
  for (const name of native) await backend.store.createContainer(name, {}, testCall());
}

const ALIASES = { rules: [], aliases: [{ pattern: 'team-*', bucket: 'data-$1' }] };

test('an alias hides buckets with a record and without one', async () => {
  const backend = newBackend('only');
  await made(backend, ['team-a', 'team.b', 'other'], ['team-native', 'data-native', 'tools']);
  const names = bucketNames([backend], {
    ...ALIASES,
    aliases: [...ALIASES.aliases, { pattern: 'team.*', bucket: 'x' }],
  });
  expect(await hiddenBuckets(backend, names, testCall())).toEqual([
    { bucket: 'team-a', instead: { bucket: 'data-a' } },
    { bucket: 'team-native', instead: { bucket: 'data-native' } },
    { bucket: 'team.b', instead: { bucket: 'x' } },
  ]);
});

test('an alias hides nothing that does not stand, nor what has its own name', async () => {
  const backend = newBackend('only');
  await made(backend, ['data-a', 'team'], ['data-native']);
  const same = { pattern: 'data-*', bucket: 'data-$1' };
  expect(await hiddenBuckets(backend, bucketNames([backend], { rules: [], aliases: [same] }), testCall())).toEqual([]);
  expect(await hiddenBuckets(backend, bucketNames([backend], ALIASES), testCall())).toEqual([]);
  expect(await hiddenBuckets(newBackend('empty'), bucketNames([backend], ALIASES), testCall())).toEqual([]);
});

test('a rule, or another default, hides the buckets of a backend', async () => {
  const [one, two] = [newBackend('one'), newBackend('two')];
  await made(one, ['logs-a', 'kept'], ['logs-native']);
  await made(two, ['logs-b', 'stray']);
  const names = bucketNames([one, two], {
    rules: [{ pattern: 'logs-*', backend: 'two' }],
    default: 'one',
    aliases: [],
  });
  expect(await hiddenBuckets(one, names, testCall())).toEqual([{ bucket: 'logs-a', instead: { backend: 'two' } }]);
  expect(await hiddenBuckets(two, names, testCall())).toEqual([{ bucket: 'stray', instead: { backend: 'one' } }]);
});

test('a part of a container hides the bucket that has its name and another container', async () => {
  const backend = newBackend('only');
  await made(backend, ['team.a', 'other']);
  const placed = {
    ...backend,
    places: new Map([
      ['team.a', 'a'],
      ['new', 'b'],
    ]),
  };
  const names = bucketNames([placed], { rules: [], aliases: [] });
  expect(await hiddenBuckets(placed, names, testCall())).toEqual([{ bucket: 'team.a', instead: { part: true } }]);
  expect((await judgeNames(placed, names, testCall())).detail).toContain('team.a (part of a container)');
});

test('a part of a container hides the container that has its name, with a record or without', async () => {
  const { store, ...backend } = newBackend('only');
  await made({ ...backend, store }, ['recorded'], ['native', 'shared']);
  const places = new Map(
    ['recorded', 'native', 'new', 'No_Container'].map((name) => [name, { container: 'shared', prefix: `${name}/` }]),
  );
  const placed: Backend = {
    ...backend,
    store: placedStore(store, places),
    places: placeIds(places),
    behindPlaces: (call) => containersBehind(store, places, call),
  };
  const names = bucketNames([placed], { rules: [], aliases: [] });
  const part = { part: true };
  expect(await hiddenBuckets(placed, names, testCall())).toEqual([
    { bucket: 'native', instead: part },
    { bucket: 'recorded', instead: part },
  ]);
  const lines: object[] = [];
  const log = { info: () => undefined, error: () => undefined, warn: (fields: object) => void lines.push(fields) };
  await warnOfHiddenBuckets(names, log, testCall());
  expect(lines).toContainEqual({ bucket: 'native', backend: 'only', instead: part });
  await store.removeContainer('native', testCall());
  expect(await hiddenBuckets(placed, names, testCall())).toEqual([{ bucket: 'recorded', instead: part }]);
});

test('preflight warns, and names some of many', async () => {
  const backend = newBackend('only');
  await made(backend, ['team-a']);
  const names = bucketNames([backend], ALIASES);
  expect(await judgeNames(backend, names, testCall())).toMatchObject({
    level: 'warn',
    detail: '1 reach other buckets than their own: team-a (alias of data-a)',
  });
  await made(
    backend,
    Array.from({ length: 11 }, (_, at) => `team-b${at}`),
  );
  const { detail } = await judgeNames(backend, names, testCall());
  expect(detail).toMatch(/^12 reach other buckets than their own: team-a .*, and 2 more$/);
  expect(await judgeNames(newBackend('empty'), names, testCall())).toMatchObject({ level: 'ok' });
});

test('the log says at start which; a backend that does not answer keeps nobody from it', async () => {
  const [one, broken] = [newBackend('one'), newBackend('broken')];
  await made(one, ['team-a']);
  broken.store.list = () => Promise.reject(new Error('gone'));
  const lines: object[] = [];
  const log = { info: () => undefined, error: () => undefined, warn: (fields: object) => void lines.push(fields) };
  await warnOfHiddenBuckets(bucketNames([one, broken], { ...ALIASES, default: 'one' }), log, testCall());
  expect(lines).toContainEqual({ bucket: 'team-a', backend: 'one', instead: { bucket: 'data-a' } });
  expect(lines).toContainEqual({ backend: 'broken', err: new Error('gone') });
  expect(lines).toHaveLength(2);
});
