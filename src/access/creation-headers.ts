import type { HeaderReader } from '../protocol/request.ts';
import { CREATION_HEADERS } from './heeded-headers.ts';

/** The operation whose request carries these headers. */
export const CREATING = 'CreateMultipartUpload';

/** Headers by name, lower case. */
type CreationHeaders = Readonly<Record<string, string>>;

/** Beginnings of the condition keys that these headers answer, in lower case. */
export const CREATION_KEYS = [
  's3:x-amz-acl',
  's3:x-amz-grant-',
  's3:object-lock-',
  's3:x-amz-server-side-encryption',
  's3:x-amz-storage-class',
  's3:requestobjecttag',
  's3:x-amz-website-redirect-location',
] as const;

export function isCreationKey(key: string): boolean {
  return CREATION_KEYS.some((prefix) => key.startsWith(prefix));
}

/**
 * What a CreateMultipartUpload says once for the whole upload, and policies have conditions on; undefined: nothing.
 * Parts cannot say it again, so S3 judges each part by these headers.
 */
export function creationHeaders(headers: HeaderReader): CreationHeaders | undefined {
  const said: Record<string, string> = {};
  for (const name of CREATION_HEADERS) {
    const value = headers.get(name);
    if (value !== undefined) said[name] = value;
  }
  return Object.keys(said).length === 0 ? undefined : said;
}

/** A reader over the headers that an upload was created with, as if they were those of a request. */
export function readerOfCreation(said: CreationHeaders = {}): HeaderReader {
  const values = new Map(Object.entries(said));
  return {
    get: (name) => values.get(name),
    startingWith: (prefix) => [...values].filter(([name]) => name.startsWith(prefix)),
  };
}
