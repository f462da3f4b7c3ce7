import { S3Error } from '../../errors/s3-error.ts';
import type { Call } from '../../observe/call.ts';
import type { Bucket } from '../buckets/bucket.ts';
import { hasContent } from './listing-content.ts';
import type { ListedEntry, ListedObject, ListedPrefix, ListingPage, ListingRequest } from './listing-entry.ts';
import { listLive } from './listing-page.ts';

export type { ListedEntry, ListedObject, ListedPrefix, ListingPage, ListingRequest } from './listing-entry.ts';

export interface VersionsRequest extends ListingRequest {
  /** Version of the key `after` behind which the page begins; absent: behind all of them. */
  readonly afterVersion?: string;
}

export interface ListedVersion extends Omit<ListedObject, 'kind'> {
  readonly kind: 'version';
  readonly versionId: string;
  readonly isLatest: boolean;
}

export type VersionsEntry = ListedVersion | ListedPrefix;

export interface VersionsPage extends ListingPage<VersionsEntry> {
  /** Goes with `next` when that is the key of a version. */
  readonly nextVersion?: string;
}

/** Listings of a bucket, straight from the backend's: nothing is kept between pages, so any replica can go on. */
export interface Listing {
  /** Current objects. A constant number of backend calls a page unless much is hidden. @throws S3Error NoSuchBucket */
  objects(bucket: Bucket, request: ListingRequest, call: Call): Promise<ListingPage<ListedEntry>>;
  /** All versions, newest first within a key. @throws S3Error NoSuchBucket, InvalidArgument (`afterVersion`) */
  versions(bucket: Bucket, request: VersionsRequest, call: Call): Promise<VersionsPage>;
  /** True when nothing would be lost with the container. @throws S3Error NoSuchBucket */
  isEmpty(bucket: Bucket, call: Call): Promise<boolean>;
}

export const NULL_VERSION = 'null';

export function createListing(): Listing {
  return {
    objects: listLive,
    versions(bucket, request, call) {
      if (bucket.versioning !== 'never') throw new S3Error('NotImplemented');
      return nullVersions(bucket, request, call);
    },
    isEmpty: async (bucket, call) => !(await hasContent(bucket, call)),
  };
}

/** Versions of a bucket that never had versioning: each object is its key's one version. */
async function nullVersions(bucket: Bucket, request: VersionsRequest, call: Call): Promise<VersionsPage> {
  const { afterVersion } = request;
  if (afterVersion !== undefined && afterVersion !== NULL_VERSION) {
    const extra = { ArgumentName: 'version-id-marker', ArgumentValue: afterVersion };
    throw new S3Error('InvalidArgument', { message: 'Invalid version id specified', extra });
  }
  const { entries, next } = await listLive(bucket, request, call);
  const endsInVersion = entries.at(-1)?.kind === 'object' && entries.at(-1)?.key === next;
  return {
    entries: entries.map((entry) => (entry.kind === 'prefix' ? entry : { ...entry, kind: 'version', versionId: NULL_VERSION, isLatest: true })),
    ...(next !== undefined && { next, ...(endsInVersion && { nextVersion: NULL_VERSION }) }),
  };
}
