/*
 * Listings. Begin here. `listing-*.ts` makes pages of objects, and `version-*.ts` pages of versions, by merging heads
 * with versions' own blobs key by key (`key-history.ts`).
 */
import { invalidArgument } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import type { Bucket } from '../records/bucket.ts';
import { NULL_VERSION, parseListedHead } from '../heads/head.ts';
import type { ObjectsContext } from '../versions/object-context.ts';
import { isDraining, VERSIONING_DRAIN_MS } from '../versions/drain-window.ts';
import { isVersionToken } from '../records/version-token.ts';
import type { ListedEntry, ListingPage, ListingRequest } from './listing-entry.ts';
import { listLive } from './listing-page.ts';
import { listVersions, type VersionsPage } from './version-page.ts';
import type { VersionsRequest } from './version-start.ts';
import { SYSTEM_TIME, timeOf } from '../records/time.ts';
import type { BlobEntry } from '../../store/blob-store.ts';
import { asNoSuchBucket } from '../heads/object-read.ts';
import { holdsSurvivor } from './survivors.ts';

export type { ListedEntry, ListedObject, ListedPrefix, ListingPage, ListingRequest } from './listing-entry.ts';
export type { ListedMarker, ListedVersion, ListedView, VersionsEntry } from './version-entry.ts';
export type { VersionsPage } from './version-page.ts';
export type { VersionsRequest } from './version-start.ts';

/** Listings of a bucket, straight from the backend's: nothing is kept between pages, so any replica can go on. */
export interface Listing {
  /**
   * Current objects. A constant number of backend calls a page unless much is hidden, and then a page is given out
   * short.
   * @throws S3Error NoSuchBucket
   */
  objects(bucket: Bucket, request: ListingRequest, call: Call): Promise<ListingPage<ListedEntry>>;
  /**
   * All versions and delete markers, newest first within a key; calls as for objects.
   * @throws S3Error NoSuchBucket, InvalidArgument (`afterVersion`)
   */
  versions(bucket: Bucket, request: VersionsRequest, call: Call): Promise<VersionsPage>;
  /** True when nothing would be lost with the container. @throws S3Error NoSuchBucket */
  isEmpty(bucket: Bucket, call: Call): Promise<boolean>;
}

type ListingOptions = Partial<Pick<ObjectsContext, 'versioningDrainMs' | 'now'>>;

export function createListing({
  versioningDrainMs = VERSIONING_DRAIN_MS,
  now = SYSTEM_TIME.now,
}: ListingOptions = {}): Listing {
  return {
    objects: listLive,
    async versions(bucket, request, call) {
      checkMarker(bucket, request);
      if (bucket.versioning === 'never' && request.withViews !== true) return nullVersions(bucket, request, call);
      return listVersions(bucket, { request, isDraining: isDraining({ versioningDrainMs, now }, bucket) }, call);
    },
    isEmpty: async (bucket, call) => !(await hasContent(bucket, call)),
  };
}

/** @throws S3Error InvalidArgument */
function checkMarker({ versioning }: Bucket, { afterVersion }: VersionsRequest): void {
  if (afterVersion === undefined || afterVersion === NULL_VERSION) return;
  if (versioning !== 'never' && isVersionToken(afterVersion)) return;
  throw invalidArgument('version-id-marker', afterVersion, 'Invalid version id specified');
}

/** Versions of a bucket that never had versioning: each object is its key's one version. */
async function nullVersions(bucket: Bucket, request: VersionsRequest, call: Call): Promise<VersionsPage> {
  const { entries, next } = await listLive(bucket, request, call);
  const last = entries.at(-1);
  return {
    entries: entries.map((entry) =>
      entry.kind === 'prefix' ? entry : { ...entry, kind: 'version', versionId: NULL_VERSION, isLatest: true },
    ),
    ...(next !== undefined && {
      next,
      ...(last?.kind === 'object' && last.key === next && { nextVersion: NULL_VERSION }),
    }),
  };
}

/** Normally the first blob decides; only leftovers of removed keys make the search longer. */
const FIRST_LOOK = 10;

/**
 * Whether a bucket holds anything besides leftovers of keys that are gone for good. Counts too: versions and delete
 * markers, and blobs that S3 cannot show (they are data of other tools). Uploads do not.
 * @throws S3Error NoSuchBucket
 */
export async function hasContent(bucket: Bucket, call: Call): Promise<boolean> {
  const { store, container } = bucket.home;
  let limit = FIRST_LOOK;
  let token: string | undefined;
  do {
    const page = await store
      .list(container, { limit, ...(token !== undefined && { token }) }, call)
      .catch((error: unknown) => {
        throw asNoSuchBucket(error, bucket);
      });
    if (page.entries.some((entry) => entry.kind === 'blob' && !isLeftover(entry, container))) return true;
    token = page.nextToken;
    limit = store.capabilities.maxListPage;
  } while (token !== undefined);
  // A version whose key has no head.
  return (
    bucket.versioning !== 'never' &&
    holdsSurvivor(bucket, { prefix: '', maxCalls: Infinity, lockedAt: timeOf(bucket.home).now() }, call)
  );
}

function isLeftover(entry: BlobEntry, container: string): boolean {
  return parseListedHead({ container, name: entry.name }, entry).record?.kind === 'void';
}
