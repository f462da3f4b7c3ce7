import { encodeOrdered } from '../../store/key-codec.ts';
import type { BlobRef } from '../../store/blob-store.ts';
import type { Bucket } from './bucket.ts';
import { type KeyedRegion, SEPARATOR, encodeKey, namesOfKey, namesUnder, parseKeyedName } from './keyed-names.ts';
import { TOKEN_LENGTH, type VersionToken, isVersionToken } from './version-token.ts';

/** Behind every name that goes on with the separator, before the names of all longer keys. */
const BEHIND_SEPARATOR = '!"';

/** Everything of a bucket that is one blob for each version of a key. */
export function versionsPrefix(bucket: Bucket): string {
  return `v/${bucket.uid}/`;
}

/**
 * Names of the versions of one key start with this, and no others do; newest first. `trueKey` is set when the name is
 * cut.
 */
export function versionsOfKey(bucket: Bucket, key: string): { prefix: string; trueKey: string | undefined } {
  return namesOfKey(versionsRegion(bucket), key);
}

/**
 * The version's own blob: bytes and record, or a delete marker's record. Also where the parts of an upload are staged.
 */
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
  return namesUnder(versionsRegion(bucket), prefix);
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
export function parseVersionName(
  bucket: Bucket,
  name: string,
): { token: VersionToken; key: string | undefined } | undefined {
  const parsed = parseKeyedName(versionsRegion(bucket), name);
  return parsed !== undefined && isVersionToken(parsed.id) ? { token: parsed.id, key: parsed.key } : undefined;
}

/** Index of the keys of a bucket whose head may say that nothing is there: listings with a delimiter ask it. */
export function deletionsPrefix(bucket: Bucket): string {
  return `x/${bucket.uid}/`;
}

/** `trueKey` is set when the name is cut. */
export function deletionRef(bucket: Bucket, key: string): { ref: BlobRef; trueKey: string | undefined } {
  const { text, cut } = encodeKey(deletionsRegion(bucket), key);
  return {
    ref: { container: bucket.home.system, name: deletionsPrefix(bucket) + text },
    trueKey: cut ? key : undefined,
  };
}

/** What to list to see all such keys that start with `prefix`; others may come too when it is long. */
export function deletionsUnder(bucket: Bucket, prefix: string): string {
  return namesUnder(deletionsRegion(bucket), prefix);
}

function versionsRegion(bucket: Bucket): KeyedRegion {
  return {
    prefix: versionsPrefix(bucket),
    idLength: TOKEN_LENGTH,
    maxNameLength: bucket.home.store.capabilities.maxNameLength,
  };
}

/** Its names have no ids; keys are cut where they are among the versions. */
function deletionsRegion(bucket: Bucket): KeyedRegion {
  return { ...versionsRegion(bucket), prefix: deletionsPrefix(bucket) };
}
