import { expect, test } from 'vitest';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import { ABSENT, at } from '../../../src/store/blob-store.ts';
import { noteHeads } from '../../../src/store/note-heads.ts';
import { testCall } from '../../support/test-call.ts';

const REF = { container: 'photos', name: 'cat.jpg' };
const BYTES = Buffer.from('meow');

async function stores(): Promise<{ bare: MemoryBlobStore; noting: ReturnType<typeof noteHeads> }> {
  const bare = new MemoryBlobStore();
  for (const container of ['photos', 'system']) await bare.createContainer(container, {}, testCall());
  return { bare, noting: noteHeads(bare, 'system') };
}

test('what is found first and what is left last', async () => {
  const { bare, noting } = await stores();
  const { revision } = await bare.write(REF, BYTES, { metadata: {} }, testCall());
  const call = testCall();
  const read = await noting.read(REF, {}, call);
  read.body.discard();
  const amended = await noting.setMetadata(REF, { a: 'b' }, at(revision), call);
  await noting.head(REF, call);
  expect(call.facts.heads).toEqual([{ name: 'cat.jpg', before: revision, kind: undefined, after: amended.revision }]);
});

test('nothing there before, nothing there afterwards', async () => {
  const { noting } = await stores();
  const [created, removed] = [testCall(), testCall()];
  await expect(noting.head(REF, created)).rejects.toThrow('notFound');
  const { revision } = await noting.write(REF, BYTES, { metadata: {}, condition: ABSENT }, created);
  await noting.remove(REF, revision, removed);
  expect(created.facts.heads).toEqual([{ name: 'cat.jpg', before: 'absent', kind: undefined, after: revision }]);
  expect(removed.facts.heads).toEqual([{ name: 'cat.jpg', before: undefined, kind: undefined, after: 'removed' }]);
});

test('a change that was refused is none; the system container has no heads', async () => {
  const { bare, noting } = await stores();
  await bare.write(REF, BYTES, { metadata: {} }, testCall());
  const call = testCall();
  await expect(noting.write(REF, BYTES, { metadata: {}, condition: ABSENT }, call)).rejects.toThrow('conditionFailed');
  await noting.write({ ...REF, container: 'system' }, BYTES, { metadata: {} }, call);
  expect(call.facts.heads).toEqual([]);
});
