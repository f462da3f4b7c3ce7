import { validateHeaderName, validateHeaderValue } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { checkKey } from './customer-keys.ts';
import type { Answer, Exchange } from './exchange.ts';
import { readableObject } from './objects.ts';
import { checkBeforeRead, headerPreconditions, integer } from './preconditions.ts';
import { Refusal } from './refusal.ts';
import { etagOf } from './resource.ts';
import { Rope } from './rope.ts';
import type { StoredObject } from './state.ts';

/** https://cloud.google.com/storage/docs/json_api/v1/objects/get, `alt=media`: the bytes, without custom metadata. */
export function downloadMedia(exchange: Exchange): Answer {
  return content(exchange, readableObject(exchange), {});
}

/**
 * https://cloud.google.com/storage/docs/xml-api/get-object and head-object: the bytes, custom metadata as
 * `x-goog-meta-` headers. What no header line can carry is left out; what the service does then is nowhere written.
 */
export function xmlObject(exchange: Exchange): Answer {
  const { state, bucket, object: name, query, headers } = exchange;
  const object = state.object(bucket, name, integer(query.get('generation'), 'generation'));
  checkBeforeRead(object, headerPreconditions(headers));
  const custom = Object.entries(object.fields.metadata ?? {}).map(([key, value]) => [
    `x-goog-meta-${key}`,
    Buffer.from(value).toString('latin1'),
  ]);
  return content(exchange, object, Object.fromEntries(custom) as Readonly<Record<string, string>>);
}

/** Packed objects come without a length, as the service was seen to send them: 200 and 206 alike. */
function content({ headers }: Exchange, object: StoredObject, custom: Readonly<Record<string, string>>): Answer {
  checkKey(object, headers);
  const stored = storedHeaders(object, custom);
  const unpacked = transcoded(object, headers['accept-encoding']);
  if (unpacked !== undefined) {
    const { 'content-encoding': _encoding, etag: _etag, ...rest } = stored;
    return { status: 200, headers: { ...rest, 'accept-ranges': 'none' }, body: unpacked, openEnded: true };
  }
  const open = object.fields.contentEncoding === 'gzip' && ({ openEnded: true } as const);
  const range = rangeOf(headers.range, object.bytes.size);
  if (range === undefined) return { status: 200, headers: stored, body: object.bytes, ...open };
  const [first, end] = range;
  const contentRange = `bytes ${first}-${end - 1}/${object.bytes.size}`;
  const body = object.bytes.slice(first, end);
  return { status: 206, headers: { ...stored, 'content-range': contentRange }, body, ...open };
}

/**
 * What is not for everybody and has no setting of its own is served as private (seen on the service; see #cache-control
 * of docs/metadata), and under keys of customers or of Cloud KMS as nothing to be kept at all.
 */
function cacheHeaders({ fields, keyDigest, kmsKeyName }: StoredObject): Record<string, string> {
  if (fields.cacheControl !== undefined) return { 'cache-control': fields.cacheControl };
  return keyDigest === undefined && kmsKeyName === undefined
    ? { 'cache-control': 'private, max-age=0' }
    : { 'cache-control': 'no-cache, no-store, max-age=0, must-revalidate', pragma: 'no-cache' };
}

/** https://cloud.google.com/storage/docs/xml-api/reference-headers */
function storedHeaders(
  object: StoredObject,
  custom: Readonly<Record<string, string>>,
): Record<string, string | string[]> {
  const { fields, bytes } = object;
  const hashes =
    object.componentCount === undefined ? [`crc32c=${bytes.crc32c}`, `md5=${bytes.md5}`] : [`crc32c=${bytes.crc32c}`];
  const found: Record<string, string | string[] | undefined> = {
    'content-type': fields.contentType ?? 'application/octet-stream',
    'content-encoding': fields.contentEncoding,
    'content-language': fields.contentLanguage,
    'content-disposition': fields.contentDisposition,
    ...cacheHeaders(object),
    'accept-ranges': 'bytes',
    'last-modified': new Date(object.timeCreated).toUTCString(),
    etag: `"${etagOf(object)}"`,
    'x-goog-generation': object.generation,
    'x-goog-metageneration': String(object.metageneration),
    'x-goog-hash': hashes,
    'x-goog-stored-content-encoding': fields.contentEncoding ?? 'identity',
    'x-goog-stored-content-length': String(bytes.size),
    'x-goog-storage-class': fields.storageClass ?? 'STANDARD',
    ...custom,
  };
  const said = Object.entries(found).filter((entry): entry is [string, string | string[]] => entry[1] !== undefined);
  return Object.fromEntries(said.filter(([name, value]) => isSayable(name, value)));
}

function isSayable(name: string, value: string | string[]): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, String(value));
    return true;
  } catch {
    return false;
  }
}

/**
 * Gzip objects are unpacked for readers that do not accept gzip (https://cloud.google.com/storage/docs/transcoding);
 * ranges are ignored then. What calls itself an archive was seen unpacked for readers that do accept it.
 */
function transcoded({ fields, bytes }: StoredObject, accepted: string | string[] | undefined): Rope | undefined {
  const isAccepted = String(accepted ?? '').includes('gzip') && fields.contentType !== 'application/x-gzip';
  if (fields.contentEncoding !== 'gzip' || isAccepted || fields.cacheControl?.includes('no-transform') === true) {
    return undefined;
  }
  try {
    return new Rope([gunzipSync(bytes.bytes())]);
  } catch {
    return undefined; // no gzip after all: served as it is
  }
}

/** First byte and end. Anything but one range of bytes is ignored (RFC 9110 section 14.2). @throws Refusal 416 */
function rangeOf(header: string | undefined, size: number): [number, number] | undefined {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined;
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size : Math.min(size, Number(to) + 1);
  if (from !== '' && to !== '' && Number(to) < first) return undefined;
  if (first >= size) {
    const headers = { 'content-range': `bytes */${size}` };
    throw new Refusal(416, 'requestedRangeNotSatisfiable', 'The requested range cannot be satisfied.', {
      xmlCode: 'InvalidRange',
      headers,
    });
  }
  return [first, end];
}
