import {
  decodeOrdered,
  encodeOrderedPrefix,
  encodeOrderedWithin,
  isCutEncoding,
  type OrderedLimits,
} from '../../store/key-codec.ts';
import type { Bucket } from './bucket.ts';
import type { KeyRef } from './key-ref.ts';

/** Stands below every continuation of an encoded key, so that the names of one key are contiguous. */
export const SEPARATOR = '!!';
/** Azure takes 254 segments between slashes; two of them are ours. */
const MAX_SEGMENTS = 252;

/**
 * Blobs of the system container that are named after keys: `<root>/<uid of the bucket>/<encoded key>!!<id>`, in the
 * order of the keys and then of the ids.
 */
export interface KeyedNames {
  readonly root: string;
  /** Characters of every id. */
  readonly idLength: number;
}

/** All such names of a bucket start with this. */
export function namesOfBucket({ root }: KeyedNames, bucket: Bucket): string {
  return `${root}/${bucket.uid}/`;
}

interface NamesOfKey {
  /** A name up to the separator. */
  readonly stem: string;
  /** Names of the key start with this, and no others do. */
  readonly prefix: string;
  /** Set when the key is too long and was cut. */
  readonly trueKey: string | undefined;
}

export function namesOfKey(names: KeyedNames, { bucket, key }: KeyRef): NamesOfKey {
  const start = namesOfBucket(names, bucket);
  const { text, cut } = encodeOrderedWithin(key, limitsOf(names, bucket, start));
  const stem = start + text;
  return { stem, prefix: stem + SEPARATOR, trueKey: cut ? key : undefined };
}

/** What to list to see all names of keys that start with `start`; others may come too when it is long. */
export function namesUnder(names: KeyedNames, bucket: Bucket, start: string): string {
  const prefix = namesOfBucket(names, bucket);
  return prefix + encodeOrderedPrefix(start, limitsOf(names, bucket, prefix));
}

/** @returns undefined for a name that does not belong; no `key` when the name is cut (the record has it) */
export function parseKeyedName(
  names: KeyedNames,
  bucket: Bucket,
  name: string,
): { id: string; key: string | undefined } | undefined {
  const at = name.lastIndexOf(SEPARATOR);
  if (at < 0) return undefined;
  const id = name.slice(at + SEPARATOR.length);
  const encoded = name.slice(namesOfBucket(names, bucket).length, at);
  if (isCutEncoding(encoded)) return { id, key: undefined };
  const key = decodeOrdered(encoded);
  return key === undefined ? undefined : { id, key };
}

/** @param start what stands before the key */
function limitsOf({ idLength }: KeyedNames, bucket: Bucket, start: string): OrderedLimits {
  const { maxNameLength } = bucket.home.store.capabilities;
  const taken = start.length + SEPARATOR.length + idLength;
  return { maxLength: maxNameLength - taken, maxSegments: MAX_SEGMENTS };
}
