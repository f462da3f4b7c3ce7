import { S3Error } from '../../errors/s3-error.ts';
import { storedContentEncoding } from '../body/content-encoding.ts';
import type { HeaderReader } from '../request.ts';
import { withoutEncodedWords } from './encoded-words.ts';
import { NamedValues } from '../../observe/named-values.ts';

/** What a client may say about an object in headers; the manifest's `ObjectAttributes` has the same shape. */
export interface ParsedAttributes {
  readonly headers: {
    readonly contentType?: string;
    readonly contentEncoding?: string;
    readonly contentLanguage?: string;
    readonly contentDisposition?: string;
    readonly cacheControl?: string;
  };
  readonly expires?: string;
  readonly userMetadata: Readonly<Record<string, string>>;
  readonly storageClass?: string;
  readonly websiteRedirect?: string;
}

const DEFAULT_CONTENT_TYPE = 'binary/octet-stream';
export const META_PREFIX = 'x-amz-meta-';
/** Names and values together, prefix excluded (S3 User Guide, "User-defined object metadata"). */
const MAX_USER_METADATA = 2048;
/**
 * The same for what S3 defines ("System-defined object metadata"). Either cloud takes as much in its own fields, and no
 * service has promised more.
 */
const MAX_SYSTEM_METADATA = 2048;
const SYSTEM_METADATA = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
  'x-amz-website-redirect-location',
] as const;
const STORAGE_CLASSES = new Set([
  'STANDARD',
  'REDUCED_REDUNDANCY',
  'STANDARD_IA',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
  'GLACIER',
  'DEEP_ARCHIVE',
  'OUTPOSTS',
  'GLACIER_IR',
]);

/** What a client said of an object, as GetObject and HeadObject tell it again; what was not said is undefined. */
export function describeAttributes(said: ParsedAttributes): Record<string, string | undefined> {
  const { contentType, contentEncoding, contentLanguage, contentDisposition, cacheControl } = said.headers;
  return {
    'content-type': contentType ?? DEFAULT_CONTENT_TYPE,
    'content-encoding': contentEncoding,
    'content-language': contentLanguage,
    'content-disposition': contentDisposition,
    'cache-control': cacheControl,
    expires: said.expires,
    'x-amz-storage-class': said.storageClass,
    'x-amz-website-redirect-location': said.websiteRedirect,
  };
}

/**
 * @param said how a metadata value is meant: of a header line, S3 decodes encoded words
 * @throws S3Error MetadataTooLarge, InvalidStorageClass, InvalidRedirectLocation
 */
export function parseObjectAttributes(
  headers: HeaderReader,
  said: (value: string) => string = withoutEncodedWords,
): ParsedAttributes {
  const expires = headers.get('expires');
  checkSystemMetadata(headers, SYSTEM_METADATA);
  return {
    headers: parseContentHeaders(headers),
    userMetadata: parseUserMetadata(headers, said),
    ...(expires !== undefined && { expires }),
    ...parsePlacement(headers),
  };
}

/**
 * Storage class and website redirect: never copied from a source, always the request's own.
 * @throws S3Error as `parseObjectAttributes`
 */
export function parsePlacement(headers: HeaderReader): { storageClass?: string; websiteRedirect?: string } {
  const storageClass = headers.get('x-amz-storage-class');
  if (storageClass !== undefined && !STORAGE_CLASSES.has(storageClass)) {
    throw new S3Error('InvalidStorageClass', { extra: { StorageClassRequested: storageClass } });
  }
  const websiteRedirect = headers.get('x-amz-website-redirect-location');
  if (websiteRedirect !== undefined && !/^(\/|https?:\/\/)/.test(websiteRedirect)) {
    throw new S3Error('InvalidRedirectLocation');
  }
  checkSystemMetadata(headers, ['x-amz-website-redirect-location']);
  return {
    ...(storageClass !== undefined && storageClass !== 'STANDARD' && { storageClass }),
    ...(websiteRedirect !== undefined && { websiteRedirect }),
  };
}

function parseContentHeaders(headers: HeaderReader): ParsedAttributes['headers'] {
  const coding = headers.get('content-encoding');
  const contentEncoding = coding === undefined ? undefined : storedContentEncoding(coding);
  const contentLanguage = headers.get('content-language');
  const contentDisposition = headers.get('content-disposition');
  const cacheControl = headers.get('cache-control');
  return {
    contentType: headers.get('content-type') ?? DEFAULT_CONTENT_TYPE,
    ...(contentEncoding !== undefined && { contentEncoding }),
    ...(contentLanguage !== undefined && { contentLanguage }),
    ...(contentDisposition !== undefined && { contentDisposition }),
    ...(cacheControl !== undefined && { cacheControl }),
  };
}

function checkSystemMetadata(headers: HeaderReader, names: readonly string[]): void {
  let size = 0;
  for (const name of names) {
    const value = headers.get(name);
    if (value !== undefined) size += name.length + value.length;
  }
  checkSize(size, MAX_SYSTEM_METADATA);
}

function checkSize(size: number, limit: number): void {
  if (size > limit) throw new S3Error('MetadataTooLarge', { extra: { Size: size, MaxSizeAllowed: limit } });
}

/** Values are the bytes that came (latin-1 view of them); how they go out again is decided there. */
function parseUserMetadata(headers: HeaderReader, said: (value: string) => string): Record<string, string> {
  // No prototype: `x-amz-meta-__proto__` is a name like any other.
  const metadata = new NamedValues();
  let size = 0;
  for (const [name, line] of headers.startingWith(META_PREFIX)) {
    const short = name.slice(META_PREFIX.length);
    const value = said(line);
    metadata[short] = value;
    size += short.length + value.length;
  }
  checkSize(size, MAX_USER_METADATA);
  return metadata;
}
