import type {
  BlobProperties,
  BlobRef,
  ByteRange,
  ContentHeaders,
  ReadRequest,
  ReadResult,
  Revision,
} from '../../../src/store/blob-store.ts';
import { STORED_BYTES_WITHHELD, StoreError } from '../../../src/store/store-error.ts';
import type { Call } from '../../../src/observe/call.ts';
import { MeasuredBody } from '../../shared/wire/measured-body.ts';
import type { WireHeaders, WireResponse } from '../../shared/wire/transport.ts';
import { patientRead } from '../../shared/wire/patient-body.ts';
import { textHeader } from '../api.ts';
import type { GcsClient } from '../client.ts';
import { keyHeaders } from '../request.ts';
import { objectPath, xmlPath } from '../paths.ts';
import { md5ToHex } from '../../shared/md5.ts';
import { ALL, isGzip, ownMetadata, propertiesOf, setCacheControl, tierOf, wholeSeconds } from '../resource.ts';
import type { ObjectResource } from '../resource.ts';
import { matchQuery, parseRevision, revisionFrom } from '../revision.ts';
import { NamedValues } from '../../../src/observe/named-values.ts';

/** https://cloud.google.com/storage/docs/json_api/v1/objects/get, the resource. */
export async function head(client: GcsClient, ref: BlobRef, call: Call): Promise<BlobProperties> {
  return propertiesOf(await getResource(client, ref, { call: 'head' }, call));
}

interface ResourceRequest {
  /** Port method. */
  readonly call: string;
  /** Only at this revision, else `conditionFailed`. */
  readonly revision?: Revision;
}

export function getResource(
  client: GcsClient,
  ref: BlobRef,
  request: ResourceRequest,
  call: Call,
): Promise<ObjectResource> {
  const match = request.revision === undefined ? [] : matchQuery(request.revision);
  return client.rest.sendForJson<ObjectResource>(
    {
      call: request.call,
      method: 'GET',
      path: objectPath(client, ref),
      query: [...match, ['fields', ALL]],
      effect: 'read',
      missing: 'object',
    },
    call,
  );
}

/**
 * https://cloud.google.com/storage/docs/xml-api/get-object: the one call that answers bytes and custom metadata
 * together; `alt=media` of the JSON API leaves the metadata out. `Accept-Encoding: gzip` keeps the service from
 * unpacking what was stored packed (https://cloud.google.com/storage/docs/transcoding#decompressive_transcoding).
 */
export function read(client: GcsClient, ref: BlobRef, request: ReadRequest, call: Call): Promise<ReadResult> {
  const reader = {
    read: (again: ReadRequest, isPiece: boolean) => readOnce(client, ref, { ...again, isPiece }, call),
    head: () => head(client, ref, call),
  };
  return patientRead(reader, request);
}

async function readOnce(
  client: GcsClient,
  ref: BlobRef,
  { range, revision, key, isPiece }: ReadRequest & { readonly isPiece: boolean },
  call: Call,
): Promise<Pick<WireResponse, 'body'> & Pick<ReadResult, 'properties'>> {
  const headers = [
    'accept-encoding',
    'gzip',
    ...(range === undefined ? [] : ['range', `bytes=${range.first}-${range.last ?? ''}`]),
    ...matchHeaders(revision),
    ...(key === undefined ? [] : keyHeaders(key)),
  ];
  const response = await client.rest.send(
    { call: 'read', method: 'GET', path: xmlPath(client, ref), headers, effect: 'read', missing: 'object', isPiece },
    call,
  );
  try {
    const { size, length } = extentOf(response, range);
    const { headers: answered, body } = response;
    return {
      properties: headerProperties(answered, size),
      body: isAnnounced(answered) ? body : new MeasuredBody(body, length),
    };
  } catch (error) {
    response.body.discard();
    throw error;
  }
}

function matchHeaders(revision: Revision | undefined): string[] {
  if (revision === undefined) return [];
  const { generation, metageneration } = parseRevision(revision);
  return ['x-goog-if-generation-match', generation, 'x-goog-if-metageneration-match', metageneration];
}

const CONTENT_RANGE = /^bytes (\d+)-(\d+)\/(\d+)$/;

/** In bytes: of the whole object, and of what the answer holds of it. */
interface Extent {
  readonly size: number;
  readonly length: number;
}

/** Packed objects come without a length at times. */
function isAnnounced(headers: WireHeaders): boolean {
  return textHeader(headers, 'content-length') !== undefined;
}

/**
 * Bytes that are not the ones stored, because something on the way packed or unpacked them, are refused. Servers that
 * answer a range of nothing with 200 are told apart here.
 */
function extentOf({ status, headers, body }: WireResponse, range: ByteRange | undefined): Extent {
  if (isUnpacked(headers)) {
    const cause = new Error('the service unpacked the object');
    throw new StoreError('unexpected', { call: 'read', status, code: STORED_BYTES_WITHHELD, cause });
  }
  const announced = isAnnounced(headers) ? body.size : undefined;
  if (status === 206) return partOf(headers, range, announced);
  const stored = textHeader(headers, 'x-goog-stored-content-length');
  const size = stored === undefined ? announced : Number(stored);
  if (size === undefined || (announced ?? size) !== size) throw altered(status);
  if (range === undefined) return { size, length: size };
  if (range.first >= size) throw new StoreError('rangeNotSatisfiable', { call: 'read' });
  if (range.first > 0 || (range.last ?? Infinity) < size - 1) throw altered(status);
  return { size, length: size };
}

function partOf(headers: WireHeaders, range: ByteRange | undefined, announced: number | undefined): Extent {
  const [, first, last, size] = (CONTENT_RANGE.exec(textHeader(headers, 'content-range') ?? '') ?? []).map(Number);
  if (
    first === undefined ||
    first !== range?.first ||
    last === undefined ||
    size === undefined ||
    last !== Math.min(range.last ?? Infinity, size - 1) ||
    (announced ?? last - first + 1) !== last - first + 1
  ) {
    throw altered(206);
  }
  return { size, length: last - first + 1 };
}

/** What the service unpacked says no longer that it is packed, though it was stored so. */
function isUnpacked(headers: WireHeaders): boolean {
  return (
    isGzip(textHeader(headers, 'x-goog-stored-content-encoding')) &&
    textHeader(headers, 'content-encoding') === undefined
  );
}

function altered(status: number): StoreError {
  return new StoreError('unexpected', {
    call: 'read',
    status,
    cause: new Error('the answer is not the bytes that were asked for'),
  });
}

const CUSTOM = 'x-goog-meta-';

function headerProperties(headers: WireHeaders, size: number): BlobProperties {
  const custom = new NamedValues();
  for (const name in headers) {
    if (name.startsWith(CUSTOM)) custom[name.slice(CUSTOM.length)] = textHeader(headers, name) ?? '';
  }
  const generation = textHeader(headers, 'x-goog-generation');
  if (generation === undefined) {
    throw new StoreError('unexpected', { call: 'read', cause: new Error('answer without generation') });
  }
  const tier = tierOf(textHeader(headers, 'x-goog-storage-class'));
  const md5 = /(?:^|,)\s*md5=([^,\s]+)/.exec(textHeader(headers, 'x-goog-hash') ?? '')?.[1];
  return {
    ...contentHeaders(headers, custom),
    size,
    revision: revisionFrom({ generation, metageneration: textHeader(headers, 'x-goog-metageneration') ?? '1' }),
    lastModified: wholeSeconds(Date.parse(textHeader(headers, 'last-modified') ?? '')),
    ...(tier !== undefined && { tier }),
    ...ownMetadata(custom, md5 === undefined ? undefined : md5ToHex(md5)),
  };
}

function contentHeaders(headers: WireHeaders, custom: Readonly<Record<string, string>>): ContentHeaders {
  const stored = textHeader(headers, 'x-goog-stored-content-encoding') ?? textHeader(headers, 'content-encoding');
  const found = {
    contentType: textHeader(headers, 'content-type'),
    contentEncoding: stored === 'identity' ? undefined : stored,
    contentLanguage: textHeader(headers, 'content-language'),
    contentDisposition: textHeader(headers, 'content-disposition'),
    cacheControl: setCacheControl(textHeader(headers, 'cache-control'), {
      raw: custom,
      pragma: textHeader(headers, 'pragma'),
    }),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}
