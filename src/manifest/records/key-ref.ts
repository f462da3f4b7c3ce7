import type { Bucket } from './bucket.ts';

/** A key of a bucket, with what its bucket was known to be when the request began. */
export interface KeyRef {
  readonly bucket: Bucket;
  readonly key: string;
}
