import type { Call } from '../observe/call.ts';
import type { BlobEntry, BlobStore, ContainerEntry, ListEntry, ListRequest } from './blob-store.ts';

interface PagesRequest extends Omit<ListRequest, 'limit' | 'token'> {
  /** Most entries of a page; no more than the service gives anyway. */
  readonly pageSize?: number;
}

/** All of a listing, a call for each page; pages without entries are left out. @throws StoreError */
export async function* pagesOf(
  store: BlobStore,
  container: string,
  { pageSize = Infinity, ...request }: PagesRequest,
  call: Call,
): AsyncGenerator<readonly ListEntry[], void> {
  const limit = Math.min(pageSize, store.capabilities.maxListPage);
  let token: string | undefined;
  do {
    const page = await store.list(container, { ...request, limit, ...(token !== undefined && { token }) }, call);
    if (page.entries.length > 0) yield page.entries;
    token = page.nextToken;
  } while (token !== undefined);
}

/** All containers of a store, a call for each page. @throws StoreError */
export async function* containersOf(store: BlobStore, call: Call): AsyncGenerator<ContainerEntry, void> {
  let token: string | undefined;
  do {
    const page = await store.listContainers(token, call);
    yield* page.containers;
    token = page.nextToken;
  } while (token !== undefined);
}

/** The blobs among the entries of a page; the others are rolled-up prefixes. */
export function blobsOf(entries: readonly ListEntry[]): BlobEntry[] {
  return entries.filter((entry) => entry.kind === 'blob');
}
