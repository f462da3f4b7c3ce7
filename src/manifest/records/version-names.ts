import { encodeOrdered } from '../../store/key-codec.ts';
import type { BlobRef } from '../../store/blob-store.ts';
import type { Bucket } from './bucket.ts';
import type { KeyRef } from './key-ref.ts';
import { type KeyedNames, SEPARATOR, namesOfBucket, namesOfKey, namesUnder, parseKeyedName } from './keyed-names.ts';
import { TOKEN_LENGTH, type VersionToken, isVersionToken } from './version-token.ts';

/** Behind every name that goes on with the separator, before the names of all longer keys. */
const BEHIND_SEPARATOR = '!"';

/** Versions' own blobs. */
const VERSIONS: KeyedNames = { root: 'v', idLength: TOKEN_LENGTH };
/** The index of deletions. Its names have no ids; keys are cut where they are among the versions. */
const DELETIONS: KeyedNames = { root: 'x', idLength: TOKEN_LENGTH };

/** Everything of a bucket that is one blob for each version of a key. */
export function versionsPrefix(bucket: Bucket): string {
  return namesOfBucket(VERSIONS, bucket);
}

/**
 * Names of the versions of one key start with this, and no others do; newest first. `trueKey` is set when the name is
 * cut.
 */
export function versionsOfKey(ref: KeyRef): { prefix: string; trueKey: string | undefined } {
  return namesOfKey(VERSIONS, ref);
}

/**
 * The version's own blob: bytes and record, or a delete marker's record. Also where the parts of an upload are staged.
 */
export function versionRef(ref: KeyRef, token: VersionToken): BlobRef {
  return { container: ref.bucket.home.system, name: namesOfKey(VERSIONS, ref).prefix + token };
}

/** For the record of a version's own blob, whose name may be cut where the head's is not. */
export function ownKey(ref: KeyRef): { key?: string } {
  const { trueKey } = namesOfKey(VERSIONS, ref);
  return trueKey === undefined ? {} : { key: trueKey };
}

/** What to list to see all versions of keys that start with `prefix`; others may come too when it is long. */
export function versionsUnder(bucket: Bucket, prefix: string): string {
  return namesUnder(VERSIONS, bucket, prefix);
}

/**
 * Where to begin so as to see all versions of keys from this one on: from its newest, or from the version at this
 * place. Where names are cut, earlier ones come too.
 */
export function versionsFrom(ref: KeyRef, token?: VersionToken): string {
  const start = versionsUnder(ref.bucket, ref.key);
  return token === undefined || !isWhole(ref, start) ? start : start + SEPARATOR + token;
}

/** The same for all keys behind this one. */
export function versionsBehind(ref: KeyRef): string {
  const start = versionsUnder(ref.bucket, ref.key);
  return isWhole(ref, start) ? start + BEHIND_SEPARATOR : start;
}

function isWhole({ bucket, key }: KeyRef, start: string): boolean {
  return start === versionsPrefix(bucket) + encodeOrdered(key);
}

/** @returns undefined for a name that is no version; no `key` when the name is cut (the record has it) */
export function parseVersionName(
  bucket: Bucket,
  name: string,
): { token: VersionToken; key: string | undefined } | undefined {
  const parsed = parseKeyedName(VERSIONS, bucket, name);
  return parsed !== undefined && isVersionToken(parsed.id) ? { token: parsed.id, key: parsed.key } : undefined;
}

/** Index of the keys of a bucket whose head may say that nothing is there: listings with a delimiter ask it. */
export function deletionsPrefix(bucket: Bucket): string {
  return namesOfBucket(DELETIONS, bucket);
}

/** The note of one key in that index. `trueKey` is set when the name is cut. */
export function deletionRef(ref: KeyRef): { ref: BlobRef; trueKey: string | undefined } {
  const { stem, trueKey } = namesOfKey(DELETIONS, ref);
  return { ref: { container: ref.bucket.home.system, name: stem }, trueKey };
}

/** What to list to see all such keys that start with `prefix`; others may come too when it is long. */
export function deletionsUnder(bucket: Bucket, prefix: string): string {
  return namesUnder(DELETIONS, bucket, prefix);
}
