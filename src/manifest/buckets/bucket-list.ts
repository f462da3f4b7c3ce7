import type { Call } from '../../observe/call.ts';
import { isBucketName } from '../../protocol/bucket-name.ts';
import { blobsOf, containersOf, pagesOf } from '../../store/pages.ts';
import { isStoreError } from '../../store/store-error.ts';
import { decodeBucketSummary } from '../records/bucket-record.ts';
import { isNativeName } from './container-names.ts';
import type { Backend, Realm } from './realm.ts';
import { RECORDS, claimedBy } from './record-names.ts';

export interface ListBucketsRequest {
  /** Absent: buckets of all owners. */
  readonly ownerId?: string;
  readonly prefix?: string;
  /** Names greater than this one only. */
  readonly after?: string;
  readonly limit: number;
}

interface ListedBucket {
  readonly name: string;
  readonly createdAt: number;
  readonly backend: string;
  readonly ownerId: string;
}

export interface BucketPage {
  readonly buckets: readonly ListedBucket[];
  readonly truncated: boolean;
}

interface BucketListContext {
  readonly realm: Realm;
  readonly onHidden: (container: string, backend: string) => void;
}

/** Buckets of one owner, or of all: those with a record, and containers without one in backends the owner owns. */
export async function listBuckets(
  context: BucketListContext,
  request: ListBucketsRequest,
  call: Call,
): Promise<BucketPage> {
  const lists = await Promise.all(
    context.realm.backends.map((backend) => listBackend(context, backend, request, call)),
  );
  const all = lists.flat().sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const { prefix = '', after = '' } = request;
  const wanted = all.filter((bucket) => bucket.name > after && bucket.name.startsWith(prefix));
  return { buckets: wanted.slice(0, request.limit), truncated: wanted.length > request.limit };
}

async function listBackend(
  context: BucketListContext,
  backend: Backend,
  request: ListBucketsRequest,
  call: Call,
): Promise<ListedBucket[]> {
  const { owned, containers } = await listRecords(backend, request.ownerId, call);
  const ours = owned.filter((bucket) => context.realm.backendOf(bucket.name) === backend);
  if (request.ownerId !== undefined && request.ownerId !== backend.ownerId) return ours;
  for await (const container of containersOf(backend.store, call)) {
    if (
      container.owner !== undefined ||
      containers.has(container.name) ||
      !isNativeName(context.realm, backend, container.name)
    ) {
      continue;
    }
    if (isBucketName(container.name) && context.realm.backendOf(container.name) === backend) {
      const { name, lastModified: createdAt } = container;
      ours.push({ name, createdAt, backend: backend.name, ownerId: backend.ownerId });
    } else {
      context.onHidden(container.name, backend.name);
    }
  }
  return ours;
}

/** Buckets of the owner (absent: of all), and the containers that any record names: those belong to no other bucket. */
async function listRecords(
  backend: Backend,
  ownerId: string | undefined,
  call: Call,
): Promise<{ owned: ListedBucket[]; containers: Set<string> }> {
  const owned: ListedBucket[] = [];
  const containers = new Set([backend.systemContainer]);
  try {
    for await (const page of pagesOf(backend.store, backend.systemContainer, { prefix: RECORDS }, call)) {
      for (const entry of blobsOf(page)) {
        const summary = decodeBucketSummary(entry.metadata);
        const claimed = summary && claimedBy(backend, entry.name, summary.container);
        if (claimed === undefined) continue;
        containers.add(claimed.container);
        if (claimed.bucket === undefined || summary === undefined) continue;
        const { owner, createdAt } = summary;
        // Without one it is claimed for now, or deleted.
        if (owner === '' || (ownerId !== undefined && owner !== ownerId)) continue;
        owned.push({ name: claimed.bucket, createdAt, backend: backend.name, ownerId: owner });
      }
    }
  } catch (error) {
    // Before the first bucket there is no system container.
    if (!isStoreError(error, 'containerNotFound')) throw error;
  }
  return { owned, containers };
}
