import { pagesOf } from '../../../src/store/pages.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import type { ContainerParts } from '../../../src/store/placed-store.ts';
import { testCall } from '../../support/test-call.ts';
import { BUCKET } from './client.ts';

const CONTAINER = 'shared';
const PREFIX = 'teams/a/';

/** The bucket of the simulation and one beside it, in one container. */
export const PLACES: ContainerParts = new Map([
  [BUCKET, { container: CONTAINER, prefix: PREFIX }],
  ['beside', { container: CONTAINER, prefix: 'teams/b/' }],
]);

/** Blobs that no request may see or change; the second container is the one that the bucket's name hides. */
const AROUND: Readonly<Record<string, readonly string[]>> = {
  [CONTAINER]: ['k', 'l', 'teams/a', 'teams/ak', 'teams/b/k', 'teams/b/l', 'teams/k'],
  [BUCKET]: ['k', 'l', 'teams/a/k'],
};

/** Makes what lies around the bucket. @param store the one below the places */
export async function layAround(store: BlobStore): Promise<void> {
  for (const [container, names] of Object.entries(AROUND)) {
    await store.createContainer(container, {}, testCall());
    for (const name of names) {
      await store.write({ container, name }, Buffer.from(`not of the bucket: ${name}`), { metadata: {} }, testCall());
    }
  }
}

/** What lies around the bucket, with sizes, metadata and revisions: it must stay as it is. */
export async function around(store: BlobStore): Promise<string[]> {
  const found: string[] = [];
  for (const container of Object.keys(AROUND)) {
    for await (const entries of pagesOf(store, container, {}, testCall())) {
      for (const entry of entries) {
        if (container !== CONTAINER || !entry.name.startsWith(PREFIX)) {
          found.push(`${container}: ${JSON.stringify(entry)}`);
        }
      }
    }
  }
  return found;
}
