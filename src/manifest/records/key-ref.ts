import type { Bucket } from './bucket.ts';

/** A key of a bucket, with what its bucket was known to be when the request began. */
export interface KeyRef {
  readonly bucket: Bucket;
  readonly key: string;
}

/** What a process remembers the key under: no other key of any bucket has this name, now or later. */
export function keyName({ bucket, key }: KeyRef): string {
  return `${bucket.uid}/${key}`;
}
