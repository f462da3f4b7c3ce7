import type { BucketRegistry } from './buckets/buckets.ts';
import type { Listing } from './listing/listing.ts';
import type { Objects } from './objects/objects.ts';
import type { Uploads } from './uploads/uploads.ts';

/** The manifest layer as operations see it. It keeps the state of S3 in blobs, in the same way on every adapter. */
export interface Manifest {
  readonly buckets: BucketRegistry;
  readonly objects: Objects;
  readonly listing: Listing;
  readonly uploads: Uploads;
}
