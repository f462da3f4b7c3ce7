import { StoreError } from '../../src/store/store-error.ts';

/** https://cloud.google.com/storage/docs/objects#naming: 1 to 1,024 bytes of UTF-8. */
export const MAX_NAME_BYTES = 1024;
/** Names that begin so are refused by the service. */
export const RESERVED_PREFIXES: readonly string[] = ['.well-known/acme-challenge/'];

const MAX_BUCKET_LENGTH = 63;
const PREFIX = /^(?:[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?-)?$/;
const DOT_SEGMENT = /(?:^|\/)\.{1,2}(?:\/|$)/;
const PLAIN = /^[A-Za-z0-9._~-]+$/;

/** Maps containers to buckets, whose names are one namespace for everybody. */
export interface ContainerNaming {
  readonly prefix: string;
  /** Containers whose buckets have a legal name (https://cloud.google.com/storage/docs/buckets#naming). */
  readonly legal: RegExp;
  /** @throws StoreError invalidName */
  bucketOf(container: string): string;
  /** @returns undefined for a bucket that is no container of this store */
  containerOf(bucket: string): string | undefined;
}

/**
 * @param prefix empty, or lower-case letters, digits and hyphens that end in a hyphen
 * @throws Error for any other prefix
 */
export function containerNaming(prefix: string): ContainerNaming {
  if (!PREFIX.test(prefix) || isReserved(prefix)) {
    throw new Error(
      'bucketPrefix: at most 41 lower-case letters, digits and hyphens, ending in a hyphen; no "goog" in front, no "google"',
    );
  }
  const most = MAX_BUCKET_LENGTH - prefix.length;
  const notGoog = prefix === '' ? 'goog|' : '';
  const legal = new RegExp(`^(?!${notGoog}.*(?:google|g00gle))[a-z0-9][a-z0-9-]{1,${most - 2}}[a-z0-9]$`);
  return {
    prefix,
    legal,
    bucketOf(container) {
      if (!legal.test(container)) throw new StoreError('invalidName');
      return prefix + container;
    },
    containerOf(bucket) {
      const container = bucket.startsWith(prefix) ? bucket.slice(prefix.length) : '';
      return legal.test(container) ? container : undefined;
    },
  };
}

function isReserved(prefix: string): boolean {
  return prefix.startsWith('goog') || /google|g00gle/.test(prefix);
}

/**
 * A name as one segment of a path: every byte outside `A-Za-z0-9-._~` percent-encoded, slashes too.
 * No URL parser ever sees it: parsers fold dot segments, which leads to the bucket itself.
 * @throws StoreError invalidName for what no key codec lets through
 */
export function encodeName(name: string): string {
  if (PLAIN.test(name) && name !== '.' && name !== '..' && name.length <= MAX_NAME_BYTES) return name;
  if (isIllegal(name)) throw new StoreError('invalidName');
  return encodeURIComponent(name).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);
}

/**
 * The same for the XML API, whose paths hold the slashes of a name as they are.
 * @throws StoreError invalidName also for segments of dots, which anything on the way might fold
 */
export function encodeNamePath(name: string): string {
  if (DOT_SEGMENT.test(name)) throw new StoreError('invalidName');
  return encodeName(name).replaceAll('%2F', '/');
}

function isIllegal(name: string): boolean {
  return (
    name === '' ||
    name === '.' ||
    name === '..' ||
    !name.isWellFormed() ||
    Buffer.byteLength(name) > MAX_NAME_BYTES ||
    /[\r\n]/.test(name) ||
    RESERVED_PREFIXES.some((reserved) => name.startsWith(reserved))
  );
}
