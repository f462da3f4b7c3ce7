import type {
  BlobEntry,
  BlobMetadata,
  ContainerEntry,
  ContentHeaders,
  ListEntry,
  ListPage,
  PrefixEntry,
  Revision,
} from '../../src/store/blob-store.ts';
import { BlobTemplate } from './blob-template.ts';
import { OWNER_METADATA, md5ToHex } from './headers.ts';
import { parseServiceDate } from './service-date.ts';
import { XmlReader } from './xml-reader.ts';
import { NamedValues } from '../../src/observe/named-values.ts';

/** Answer of List Blobs. Blobs and prefixes come out interleaved in name order, however the service grouped them. */
export function parseBlobPage(xml: string): ListPage {
  const blobs: BlobEntry[] = [];
  const prefixes: PrefixEntry[] = [];
  const readNext = blobReader(xml);
  const nextToken = parsePage(xml, 'Blobs', (reader, element) => {
    if (element === 'Blob') blobs.push(readNext(reader));
    else if (element === 'BlobPrefix') prefixes.push(readPrefix(reader));
    else reader.skip();
  });
  return { entries: interleave(blobs, prefixes), ...(nextToken === '' ? {} : { nextToken }) };
}

/** Blobs that differ from one before them by their values alone are read by comparing: in half of the time. */
function blobReader(xml: string): (reader: XmlReader) => BlobEntry {
  const templates: BlobTemplate[] = [];
  let misses = 0;
  return (reader) => {
    for (const template of templates) {
      const found = template.read(xml, reader.position);
      if (found === undefined) continue;
      reader.leaveAt(found.end);
      return blobEntry(found.name, found.properties, found.metadata);
    }
    const from = reader.position;
    const blob = readBlob(reader);
    misses += 1;
    // A page of which each blob is of another kind must not cost more by it.
    const template = misses > MOST_MISSES ? undefined : BlobTemplate.of(xml, { from, to: reader.position }, PLACES);
    if (template !== undefined && templates.unshift(template) > MOST_TEMPLATES) templates.pop();
    return blob;
  };
}

const MOST_TEMPLATES = 4;
const MOST_MISSES = 32;

/** Answer of List Containers. */
export function parseContainerPage(xml: string): { containers: ContainerEntry[]; nextToken?: string } {
  const containers: ContainerEntry[] = [];
  const nextToken = parsePage(xml, 'Containers', (reader, element) => {
    if (element === 'Container') containers.push(readContainer(reader));
    else reader.skip();
  });
  return { containers, ...(nextToken === '' ? {} : { nextToken }) };
}

/** Fields of a document that holds only text elements below its root. */
export function parseFields(xml: string): Readonly<Record<string, string>> {
  const reader = new XmlReader(xml);
  return reader.enter() === undefined ? {} : readFields(reader);
}

/** Walks `<EnumerationResults>`; gives the marker of the next page, empty when this is the last. */
function parsePage(xml: string, list: string, onElement: (reader: XmlReader, element: string) => void): string {
  const reader = new XmlReader(xml);
  let nextMarker = '';
  reader.enter();
  for (let part = reader.enter(); part !== undefined; part = reader.enter()) {
    if (part === 'NextMarker') nextMarker = reader.text();
    else if (part === list) eachElement(reader, onElement);
    else reader.skip();
  }
  return nextMarker;
}

function eachElement(reader: XmlReader, onElement: (reader: XmlReader, element: string) => void): void {
  for (let element = reader.enter(); element !== undefined; element = reader.enter()) onElement(reader, element);
}

const CONTENT_FIELDS = [
  'contentType',
  'contentEncoding',
  'contentLanguage',
  'contentDisposition',
  'cacheControl',
] as const satisfies (keyof ContentHeaders)[];

/**
 * Elements of `<Properties>` that are of use, and their places among the values read. The first five are
 * `CONTENT_FIELDS`.
 */
const PLACES: ReadonlyMap<string, number> = new Map(
  [
    'Content-Type',
    'Content-Encoding',
    'Content-Language',
    'Content-Disposition',
    'Cache-Control',
    'Last-Modified',
    'Etag',
    'Content-Length',
    'Content-MD5',
    'AccessTier',
  ].map((element, place) => [element, place]),
);

const LAST_MODIFIED = 5;
const ETAG = 6;
const SIZE = 7;
const MD5 = 8;
const TIER = 9;

type Values = (string | undefined)[];

function readBlob(reader: XmlReader): BlobEntry {
  let name = '';
  let values: Values = [];
  let metadata: BlobMetadata = {};
  for (let part = reader.enter(); part !== undefined; part = reader.enter()) {
    if (part === 'Name') name = readName(reader);
    else if (part === 'Properties') values = readProperties(reader);
    else if (part === 'Metadata') metadata = readMetadata(reader);
    else reader.skip();
  }
  return blobEntry(name, values, metadata);
}

/** Empty elements count as absent. */
function readProperties(reader: XmlReader): Values {
  const values: Values = new Array<string | undefined>(PLACES.size).fill(undefined);
  for (let element = reader.enter(); element !== undefined; element = reader.enter()) {
    const place = PLACES.get(element);
    if (place === undefined) reader.skip();
    else values[place] = reader.text() || undefined;
  }
  return values;
}

type Draft<T> = { -readonly [Field in keyof T]: T[Field] };

function blobEntry(name: string, values: Values, metadata: BlobMetadata): BlobEntry {
  const entry: Draft<BlobEntry> = {
    kind: 'blob',
    name,
    size: Number(values[SIZE] ?? '0'),
    revision: quoted(values[ETAG] ?? ''),
    lastModified: parseServiceDate(values[LAST_MODIFIED] ?? ''),
    metadata,
  };
  for (let place = 0; place < CONTENT_FIELDS.length; place += 1) {
    const value = values[place];
    const field = CONTENT_FIELDS[place];
    if (value !== undefined && field !== undefined) entry[field] = value;
  }
  const md5 = values[MD5];
  const hex = md5 === undefined ? undefined : md5ToHex(md5);
  if (hex !== undefined) entry.md5 = hex;
  if (values[TIER] === 'Archive') entry.archived = true;
  return entry;
}

function readPrefix(reader: XmlReader): PrefixEntry {
  let name = '';
  for (let part = reader.enter(); part !== undefined; part = reader.enter()) {
    if (part === 'Name') name = readName(reader);
    else reader.skip();
  }
  return { kind: 'prefix', name };
}

function readContainer(reader: XmlReader): ContainerEntry {
  let name = '';
  let lastModified = 0;
  let owner: string | undefined;
  for (let part = reader.enter(); part !== undefined; part = reader.enter()) {
    if (part === 'Name') name = reader.text();
    else if (part === 'Properties') lastModified = Date.parse(readFields(reader)['Last-Modified'] ?? '');
    else if (part === 'Metadata') owner = readMetadata(reader)[OWNER_METADATA];
    else reader.skip();
  }
  return { name, lastModified, ...(owner !== undefined && { owner }) };
}

/** Text elements up to the end of the current one; empty ones count as absent. */
function readFields(reader: XmlReader): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (let field = reader.enter(); field !== undefined; field = reader.enter()) {
    const value = reader.text();
    if (value !== '') fields[field] = value;
  }
  return fields;
}

/** Names with characters that XML cannot hold come percent-encoded and marked so. */
function readName(reader: XmlReader): string {
  const encoded = reader.attributes.includes('Encoded="true"');
  const name = reader.text();
  return encoded ? decodeURIComponent(name) : name;
}

function readMetadata(reader: XmlReader): BlobMetadata {
  const metadata = new NamedValues();
  for (let name = reader.enter(); name !== undefined; name = reader.enter()) {
    const value = reader.text();
    if (value !== '') metadata[name.toLowerCase()] = value;
  }
  return metadata;
}

/** Listings leave out the quotes that every other answer has and that conditions need. */
function quoted(etag: string): Revision {
  return (etag.startsWith('"') ? etag : `"${etag}"`) as Revision;
}

function interleave(blobs: readonly BlobEntry[], prefixes: readonly PrefixEntry[]): readonly ListEntry[] {
  if (prefixes.length === 0) return blobs;
  const entries: ListEntry[] = [];
  let next = 0;
  for (const blob of blobs) {
    for (let prefix = prefixes[next]; prefix !== undefined && prefix.name < blob.name; prefix = prefixes[next]) {
      entries.push(prefix);
      next += 1;
    }
    entries.push(blob);
  }
  return entries.concat(prefixes.slice(next));
}
