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

/** A name up to the id, without the separator. `trueKey` is set when the key is too long and was cut. */
export function encodeKey(names: KeyedNames, { bucket, key }: KeyRef): { stem: string; trueKey: string | undefined } {
  const prefix = namesOfBucket(names, bucket);
  const { text, cut } = encodeOrderedWithin(key, limitsOf(names, bucket));
  return { stem: prefix + text, trueKey: cut ? key : undefined };
}

/** Names of one key start with this, and no others do. `trueKey` is set when the name is cut. */
export function namesOfKey(names: KeyedNames, ref: KeyRef): { prefix: string; trueKey: string | undefined } {
  const { stem, trueKey } = encodeKey(names, ref);
  return { prefix: stem + SEPARATOR, trueKey };
}

/** What to list to see all names of keys that start with `start`; others may come too when it is long. */
export function namesUnder(names: KeyedNames, bucket: Bucket, start: string): string {
  const prefix = namesOfBucket(names, bucket);
  return prefix + encodeOrderedPrefix(start, limitsOf(names, bucket));
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

function limitsOf(names: KeyedNames, bucket: Bucket): OrderedLimits {
  const { maxNameLength } = bucket.home.store.capabilities;
  const taken = namesOfBucket(names, bucket).length + SEPARATOR.length + names.idLength;
  return { maxLength: maxNameLength - taken, maxSegments: MAX_SEGMENTS };
}
