import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MemoryBlobStore } from '../../adapters/memory/memory-blob-store.ts';
import { ABSENT, type BlobStore } from '../../src/store/blob-store.ts';
import { type ContainerPart, SHARED_MARK, placedStore } from '../../src/store/placed-store.ts';
import { CLOUDS, type Cloud, startCloud } from '../support/backends/clouds.ts';
import { testCall } from '../support/test-call.ts';
import { describeBlobStore } from './conformance.ts';
import { failsWith } from './conformance/suite.ts';

/* Containers that are parts of others, held to the contract of containers; they hold no private names. */

const GROUPS = ['reads', 'writes', 'conditions', 'removals', 'listings'];
const PREFIX = 'tenants/a/';

/** A store in which every container is a part of the one of its name, between blobs that are not the part's. */
function nested(base: BlobStore): BlobStore {
  const places = new Map<string, ContainerPart>();
  const store = placedStore(base, new Map([['none', { container: 'none', prefix: PREFIX }]]));
  let placed = store;
  const made: BlobStore = {
    ...store,
    async createContainer(name, request, call) {
      const entry = await base.createContainer(name, request, call);
      for (const around of ['tenants/a', 'tenants/b/blob', 'blob', 'zzz']) {
        await base.write({ container: name, name: around }, Buffer.from('not of the part'), { metadata: {} }, call);
      }
      places.set(name, { container: name, prefix: PREFIX });
      placed = placedStore(base, places);
      return entry;
    },
    removeContainer: (name, call) => base.removeContainer(name, call),
    head: (...args) => placed.head(...args),
    read: (...args) => placed.read(...args),
    write: (...args) => placed.write(...args),
    setMetadata: (...args) => placed.setMetadata(...args),
    remove: (...args) => placed.remove(...args),
    removeMany: (...args) => placed.removeMany(...args),
    list: (...args) => placed.list(...args),
  };
  return made;
}

describeBlobStore('parts of containers, memory', async () => nested(new MemoryBlobStore()), { groups: GROUPS });

for (const name of Object.keys(CLOUDS)) {
  describe(name, () => {
    let cloud: Cloud;
    beforeAll(async () => {
      cloud = await startCloud(name);
    });
    afterAll(() => cloud.stop());
    describeBlobStore(`parts of containers, ${name}`, async () => nested(cloud.open()), { groups: GROUPS });
  });
}

describe('parts of containers', () => {
  const base = new MemoryBlobStore({ capabilities: { maxNameLength: 40 } });
  const store = placedStore(
    base,
    new Map([
      ['part', { container: 'whole', prefix: 'p/' }],
      ['other', { container: 'whole', prefix: 'other/deep/' }],
      ['absent', { container: 'not-there', prefix: 'p/' }],
      ['owned', { container: 'a-bucket', prefix: 'p/' }],
      ['shadowed', { container: 'whole', prefix: 'shadowed/' }],
    ]),
  );
  const call = testCall();
  const metadata = {};
  const place = expect.stringMatching(/^[0-9a-f]{24}$/) as string;
  const names = async (container: string, request: object = {}): Promise<string[]> =>
    (await store.list(container, { limit: 100, ...request }, call)).entries.map((entry) => entry.name);

  beforeAll(async () => {
    await base.createContainer('whole', {}, call);
    await base.createContainer('a-bucket', { owner: 'uid' }, call);
    await base.createContainer('plain', {}, call);
    await base.createContainer('shadowed', {}, call);
    for (const name of ['p/one', 'p/two/x', 'p/', 'other/deep/one', 'pp', 'q']) {
      await base.write({ container: 'whole', name }, Buffer.from(name), { metadata }, call);
    }
  });

  test('are there while their container is, and while nobody has marked it as a bucket', async () => {
    expect(await store.headContainer('part', call)).toMatchObject({ name: 'part', place });
    await failsWith(store.headContainer('absent', call), 'containerNotFound');
    await failsWith(store.headContainer('owned', call), 'containerBusy');
    const { containers } = await store.listContainers(undefined, call);
    expect(containers.map(({ name, owner }) => [name, owner])).toEqual([
      ['a-bucket', 'uid'],
      ['plain', undefined],
      ['whole', SHARED_MARK],
      ['part', undefined],
      ['other', undefined],
      ['shadowed', undefined],
    ]);
    expect(containers.find(({ name }) => name === 'shadowed')).toMatchObject({ place });
  });

  test('are told apart by where they lie', async () => {
    const [part, other] = [await store.headContainer('part', call), await store.headContainer('other', call)];
    expect(part.place).not.toBe(other.place);
    const renamed = placedStore(base, new Map([['new', { container: 'whole', prefix: 'p/' }]]));
    expect((await renamed.headContainer('new', call)).place).toBe(part.place);
  });

  test.each(['part', 'whole'])('%s: is neither made nor removed', async (name) => {
    await failsWith(store.createContainer(name, { owner: 'somebody' }, call), 'containerBusy');
    await failsWith(store.removeContainer(name, call), 'containerNotEmpty');
    expect(await base.headContainer('whole', call)).not.toHaveProperty('owner');
  });

  test('hold what lies under their prefix, and not what tools make of the prefix itself', async () => {
    expect(await names('part')).toEqual(['one', 'two/x']);
    expect(await names('part', { delimiter: '/' })).toEqual(['one', 'two/']);
    expect(await names('part', { startAt: 'p' })).toEqual(['two/x']);
    expect(await names('other', { prefix: 'o' })).toEqual(['one']);
    expect(await names('plain')).toEqual([]);
  });

  test('copies go between parts and containers', async () => {
    const { revision, size } = await store.head({ container: 'part', name: 'one' }, call);
    const source = { container: 'part', name: 'one', revision };
    for (const target of [
      { container: 'other', name: 'copy' },
      { container: 'plain', name: 'copy' },
    ]) {
      await store.copy(target, { source, size, headers: {}, metadata, condition: ABSENT }, call);
    }
    expect((await base.head({ container: 'whole', name: 'other/deep/copy' }, call)).size).toBe(size);
    expect((await base.head({ container: 'plain', name: 'copy' }, call)).size).toBe(size);
  });

  test('nothing is staged in them', async () => {
    const ref = { container: 'part', name: 'staging' };
    await failsWith(store.stagePart(ref, Buffer.from('x'), {}, call), 'invalidName');
    await failsWith(store.assemble(ref, { tokens: [], metadata }, call), 'invalidName');
    await failsWith(store.discardParts(ref, call), 'invalidName');
  });

  test('names that are too long behind the prefix are not there, and cannot be', async () => {
    const [longest, tooLong] = ['x'.repeat(38), 'x'.repeat(39)].map((name) => ({ container: 'part', name }));
    if (longest === undefined || tooLong === undefined) throw new Error('no names');
    expect([store.fits?.(longest), store.fits?.(tooLong)]).toEqual([true, false]);
    expect(store.fits?.({ container: 'plain', name: tooLong.name })).toBe(true);
    await store.write(longest, Buffer.from('x'), { metadata }, call);
    await failsWith(store.write(tooLong, Buffer.from('x'), { metadata }, call), 'invalidName');
    await failsWith(store.head(tooLong, call), 'notFound');
    await failsWith(store.remove(tooLong, undefined, call), 'notFound');
    expect(await names('part', { prefix: tooLong.name })).toEqual([]);
    expect(await names('part', { startAt: tooLong.name })).toEqual([longest.name]);
    const outcomes = await store.removeMany('part', [{ name: longest.name }, { name: tooLong.name }], call);
    expect(outcomes).toEqual(['removed', 'notFound']);
    const deep = { container: 'part', name: 'a/'.repeat(19) };
    expect(store.fits?.(deep)).toBe(true);
  });
});
