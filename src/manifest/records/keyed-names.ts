import {
  decodeOrdered,
  encodeOrderedPrefix,
  encodeOrderedWithin,
  isCutEncoding,
  type OrderedLimits,
} from '../../store/key-codec.ts';

/** Stands below every continuation of an encoded key, so that the names of one key are contiguous. */
export const SEPARATOR = '!!';
/** Azure takes 254 segments between slashes; two of them are ours. */
const MAX_SEGMENTS = 252;

/** Names `<prefix><encoded key>!!<id>`, in the order of the keys and then of the ids. */
export interface KeyedRegion {
  readonly prefix: string;
  /** Characters of every id. */
  readonly idLength: number;
  /** What the service takes. */
  readonly maxNameLength: number;
}

/** A key as it stands in the region's names; `cut` when it is too long for them. */
export function encodeKey(region: KeyedRegion, key: string): { text: string; cut: boolean } {
  return encodeOrderedWithin(key, limitsOf(region));
}

/** Names of one key start with this, and no others do. `trueKey` is set when the name is cut. */
export function namesOfKey(region: KeyedRegion, key: string): { prefix: string; trueKey: string | undefined } {
  const { text, cut } = encodeKey(region, key);
  return { prefix: region.prefix + text + SEPARATOR, trueKey: cut ? key : undefined };
}

/** What to list to see all names of keys that start with `prefix`; others may come too when it is long. */
export function namesUnder(region: KeyedRegion, prefix: string): string {
  return region.prefix + encodeOrderedPrefix(prefix, limitsOf(region));
}

/** @returns undefined for a name that does not belong; no `key` when the name is cut (the record has it) */
export function parseKeyedName(region: KeyedRegion, name: string): { id: string; key: string | undefined } | undefined {
  const at = name.lastIndexOf(SEPARATOR);
  if (at < 0) return undefined;
  const id = name.slice(at + SEPARATOR.length);
  const encoded = name.slice(region.prefix.length, at);
  if (isCutEncoding(encoded)) return { id, key: undefined };
  const key = decodeOrdered(encoded);
  return key === undefined ? undefined : { id, key };
}

function limitsOf({ prefix, idLength, maxNameLength }: KeyedRegion): OrderedLimits {
  return { maxLength: maxNameLength - prefix.length - SEPARATOR.length - idLength, maxSegments: MAX_SEGMENTS };
}
