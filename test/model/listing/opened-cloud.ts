import { afterAll, beforeAll } from 'vitest';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { type Cloud, startCloud } from '../../support/backends/clouds.ts';

/** A cloud and a store on it for the tests of one block, from before the first to after the last of them. */
export function openedCloud(name: string): () => BlobStore {
  let cloud: Cloud | undefined;
  let store: BlobStore | undefined;
  beforeAll(async () => {
    cloud = await startCloud(name);
    store = cloud.open();
  });
  afterAll(async () => {
    await store?.close();
    await cloud?.stop();
  });
  return () => {
    if (store === undefined) throw new Error('the cloud is started before the first test');
    return store;
  };
}
