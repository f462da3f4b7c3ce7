import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, test } from 'vitest';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import { ABSENT } from '../../../../src/store/blob-store.ts';
import { isStoreError } from '../../../../src/store/store-error.ts';
import { testCall } from '../../../support/test-call.ts';

const call = testCall();
const ref = { container: 'box', name: 'blob' };

async function kindOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'no error',
    (error: unknown) => (isStoreError(error) ? error.kind : String(error)),
  );
}

describe('MemoryBlobStore', () => {
  let store: MemoryBlobStore;

  beforeEach(async () => {
    store = new MemoryBlobStore({ capabilities: { maxWrite: 100, maxListPage: 3 }, now: () => 1_700_000_000_000 });
    await store.createContainer('box', {}, call);
  });

  test('refuses bodies above maxWrite before it reads them', async () => {
    expect(await kindOf(store.write(ref, Buffer.alloc(101), { metadata: {} }, call))).toBe('tooLarge');
    expect(await kindOf(store.write(ref, Buffer.alloc(100), { metadata: {} }, call))).toBe('no error');
  });

  test.each([
    ['control character', 'a\u0001'],
    ['backslash', 'a\\b'],
    ['dot segment', 'a/../b'],
    ['non-character', '\uffff'],
    ['half a character', '\ud800'],
    ['nothing', ''],
  ])('refuses names that the key codec would have escaped: %s', async (_what, name) => {
    expect(await kindOf(store.write({ container: 'box', name }, Buffer.alloc(1), { metadata: {} }, call))).toBe(
      'invalidName',
    );
    expect(await kindOf(store.stagePart({ container: 'box', name }, Buffer.alloc(1), {}, call))).toBe('invalidName');
  });

  test.each([
    [{ 'with-hyphen': 'x' }, 'invalidName'],
    [{ Upper: 'x' }, 'invalidName'],
    [{ empty: '' }, 'invalidName'],
    [{ padded: ' x' }, 'invalidName'],
    [{ umlaut: 'ü' }, 'invalidName'],
    [{ big: 'x'.repeat(8192) }, 'tooLarge'],
  ])('refuses metadata that the port does not allow: %j', async (metadata, kind) => {
    expect(await kindOf(store.write(ref, Buffer.alloc(1), { metadata }, call))).toBe(kind);
  });

  test('refuses container names that the capabilities exclude', async () => {
    for (const name of ['ab', 'Upper', 'a--b', '-ab', 'with.dot', 'x'.repeat(64)]) {
      expect(await kindOf(store.createContainer(name, {}, call)), name).toBe('invalidName');
    }
  });

  test('gives pages no longer than maxListPage', async () => {
    for (const name of ['a', 'b', 'c', 'd']) {
      await store.write({ container: 'box', name }, Buffer.alloc(1), { metadata: {} }, call);
    }
    const page = await store.list('box', { limit: 1000 }, call);
    expect(page.entries).toHaveLength(3);
    expect(page.nextToken).toBeDefined();
    expect(await kindOf(store.list('box', { limit: 1, token: 'made up' }, call))).toBe('unexpected');
  });

  test('gives pages of containers, each one once', async () => {
    for (const name of ['one', 'two', 'three', 'four', 'five', 'six']) await store.createContainer(name, {}, call);
    const pages: string[][] = [];
    let token: string | undefined;
    do {
      const { containers, nextToken }: Awaited<ReturnType<typeof store.listContainers>> = await store.listContainers(
        token,
        call,
      );
      pages.push(containers.map(({ name }) => name));
      token = nextToken;
    } while (token !== undefined);
    expect(pages).toEqual([['box', 'five', 'four'], ['one', 'six', 'three'], ['two']]);
  });

  test('hands bodies out in views of at most 64 KiB', async () => {
    const large = new MemoryBlobStore();
    await large.createContainer('box', {}, call);
    await large.write(ref, Buffer.alloc(200_000), { metadata: {} }, call);
    const { body } = await large.read(ref, {}, call);
    const sizes: number[] = [];
    for await (const chunk of body.stream()) sizes.push((chunk as Buffer).byteLength);
    expect(sizes).toEqual([65_536, 65_536, 65_536, 3_392]);
  });

  test('a store that does not answer md5 keeps a declared one', async () => {
    const plain = new MemoryBlobStore({ capabilities: { writeReturnsMd5: false } });
    await plain.createContainer('box', {}, call);
    expect((await plain.write(ref, Buffer.from('a'), { metadata: {} }, call)).md5).toBeUndefined();
    const md5 = '0cc175b9c0f1b6a831c399e269772661';
    expect((await plain.write(ref, Buffer.from('a'), { metadata: {}, md5 }, call)).md5).toBe(md5);
  });

  test('assemble frees the parts, and minds its condition first', async () => {
    const { tokens } = await store.stagePart(ref, Buffer.from('part'), {}, call);
    await store.assemble(ref, { tokens, metadata: {} }, call);
    expect(await kindOf(store.assemble(ref, { tokens, metadata: {} }, call))).toBe('partsGone');
    expect(await kindOf(store.assemble(ref, { tokens, metadata: {}, condition: ABSENT }, call))).toBe(
      'conditionFailed',
    );
  });

  test('the times come from the clock given', async () => {
    const { lastModified } = await store.write(ref, Buffer.from('a'), { metadata: {} }, call);
    expect(lastModified).toBe(1_700_000_000_000);
  });

  test('an archived blob can be read again once it is back', async () => {
    await store.write(ref, Buffer.from('cold'), { metadata: {} }, call);
    store.setArchived(ref, true);
    expect(await kindOf(store.read(ref, {}, call))).toBe('archived');
    store.setArchived(ref, false);
    const { body } = await store.read(ref, {}, call);
    expect((await buffer(body.stream())).toString()).toBe('cold');
  });

  test('after close every call fails', async () => {
    await store.close();
    expect(await kindOf(store.ping(call))).toBe('unavailable');
    expect(await kindOf(store.head(ref, call))).toBe('unavailable');
  });

  test('50,000 blobs list in pages without sorting again and again', async () => {
    const big = new MemoryBlobStore();
    await big.createContainer('box', {}, call);
    for (let i = 0; i < 50_000; i += 1) {
      await big.write(
        { container: 'box', name: `d${i % 97}/${(i * 7919) % 50_000}` },
        Buffer.alloc(1),
        { metadata: {} },
        call,
      );
    }
    const began = process.threadCpuUsage();
    for (let i = 0; i < 1000; i += 1) {
      const name = `new/${i}`;
      await big.write({ container: 'box', name }, Buffer.alloc(1), { metadata: {} }, call);
      const page = await big.list('box', { limit: 10, startAt: name }, call);
      expect(page.entries[0]?.name).toBe(name);
    }
    // Sorting all names for each of the 1,000 pages would take more than ten times as long.
    expect(process.threadCpuUsage(began).user / 1000).toBeLessThan(3_000);
  });
});
