import { decodeOrdered, encodeOrdered, encodeOrderedPrefix, encodeOrderedWithin, isCutEncoding, type OrderedLimits } from '../../store/key-codec.ts';
import type { BlobRef } from '../../store/blob-store.ts';
import type { Bucket } from '../buckets/bucket.ts';
import { TOKEN_LENGTH, type VersionToken, isVersionToken } from './version-token.ts';

/** Stands below every continuation of an encoded key, so that the versions of one key are contiguous. */
const SEPARATOR = '!!';
/** Behind every name that goes on with the separator, before the names of all longer keys. */
const BEHIND_SEPARATOR = '!"';
/** Azure takes 254 segments between slashes; two of them are ours. */
const MAX_SEGMENTS = 252;

/** Everything of a bucket that is one blob for each version of a key. */
export function versionsPrefix(bucket: Bucket): string {
  return `v/${bucket.uid}/`;
}

/** Names of the versions of one key start with this, and no others do; newest first. `trueKey` is set when the name is cut. */
export function versionsOfKey(bucket: Bucket, key: string): { prefix: string; trueKey: string | undefined } {
  const { text, cut } = encodeOrderedWithin(key, limitsOf(bucket));
  return { prefix: versionsPrefix(bucket) + text + SEPARATOR, trueKey: cut ? key : undefined };
}

/** The version's own blob: bytes and record, or a delete marker's record. Also where the parts of an upload are staged. */
export function versionRef(bucket: Bucket, key: string, token: VersionToken): BlobRef {
  return { container: bucket.home.system, name: versionsOfKey(bucket, key).prefix + token };
}

/** For the record of a version's own blob, whose name may be cut where the head's is not. */
export function ownKey(bucket: Bucket, key: string): { key?: string } {
  const { trueKey } = versionsOfKey(bucket, key);
  return trueKey === undefined ? {} : { key: trueKey };
}

/** What to list to see all versions of keys that start with `prefix`; others may come too when it is long. */
export function versionsUnder(bucket: Bucket, prefix: string): string {
  return versionsPrefix(bucket) + encodeOrderedPrefix(prefix, limitsOf(bucket));
}

/**
 * Where to begin so as to see all versions of keys from this one on: from its newest, or from the version at this
 * place. Where names are cut, earlier ones come too.
 */
export function versionsFrom(bucket: Bucket, key: string, token?: VersionToken): string {
  const start = versionsUnder(bucket, key);
  return token === undefined || !isWhole(bucket, key, start) ? start : start + SEPARATOR + token;
}

/** The same for all keys behind this one. */
export function versionsBehind(bucket: Bucket, key: string): string {
  const start = versionsUnder(bucket, key);
  return isWhole(bucket, key, start) ? start + BEHIND_SEPARATOR : start;
}

function isWhole(bucket: Bucket, key: string, start: string): boolean {
  return start === versionsPrefix(bucket) + encodeOrdered(key);
}

/** @returns undefined for a name that is no version; no `key` when the name is cut (the record has it) */
export function parseVersionName(bucket: Bucket, name: string): { token: VersionToken; key: string | undefined } | undefined {
  const at = name.lastIndexOf(SEPARATOR);
  const token = name.slice(at + SEPARATOR.length);
  if (at < 0 || !isVersionToken(token)) return undefined;
  const encoded = name.slice(versionsPrefix(bucket).length, at);
  if (isCutEncoding(encoded)) return { token, key: undefined };
  const key = decodeOrdered(encoded);
  return key === undefined ? undefined : { token, key };
}

/** Index of the keys of a bucket whose head may say that nothing is there: listings with a delimiter ask it. */
export function deletionsPrefix(bucket: Bucket): string {
  return `x/${bucket.uid}/`;
}

/** `trueKey` is set when the name is cut. */
export function deletionRef(bucket: Bucket, key: string): { ref: BlobRef; trueKey: string | undefined } {
  const { text, cut } = encodeOrderedWithin(key, limitsOf(bucket));
  return { ref: { container: bucket.home.system, name: deletionsPrefix(bucket) + text }, trueKey: cut ? key : undefined };
}

/** What to list to see all such keys that start with `prefix`; others may come too when it is long. */
export function deletionsUnder(bucket: Bucket, prefix: string): string {
  return deletionsPrefix(bucket) + encodeOrderedPrefix(prefix, limitsOf(bucket));
}

function limitsOf(bucket: Bucket): OrderedLimits {
  const taken = versionsPrefix(bucket).length + SEPARATOR.length + TOKEN_LENGTH;
  return { maxLength: bucket.home.store.capabilities.maxNameLength - taken, maxSegments: MAX_SEGMENTS };
}
