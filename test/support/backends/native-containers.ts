import { expect } from 'vitest';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { containersOf } from '../../../src/store/pages.ts';
import { isStoreError } from '../../../src/store/store-error.ts';
import { testCall } from '../test-call.ts';

/** Names of all containers, also of those that no gateway knows. */
export async function containerNames(store: BlobStore): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of containersOf(store, testCall())) names.push(name);
  return names;
}

/** As a tool of the cloud does it, which may have been there before. */
export async function ensureContainer(store: BlobStore, name: string): Promise<void> {
  await store.createContainer(name, {}, testCall()).catch((error: unknown) => {
    expect(isStoreError(error, 'containerExists')).toBe(true);
  });
}
