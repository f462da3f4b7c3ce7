import type { BlobEntry, BlobMetadata, ContainerEntry, ContentHeaders, ListEntry, ListPage, PrefixEntry, Revision } from '../../src/store/blob-store.ts';
import { md5ToHex } from './headers.ts';
import { XmlReader } from './xml-reader.ts';

/** Answer of List Blobs. Blobs and prefixes come out interleaved in name order, however the service grouped them. */
export function parseBlobPage(xml: string): ListPage {
  const blobs: BlobEntry[] = [];
  const prefixes: PrefixEntry[] = [];
  const nextToken = parsePage(xml, 'Blobs', (reader, element) => {
    if (element === 'Blob') blobs.push(readBlob(reader));
    else if (element === 'BlobPrefix') prefixes.push({ kind: 'prefix', name: readFields(reader, NAME_ONLY)['Name'] ?? '' });
    else reader.skip();
  });
  return { entries: interleave(blobs, prefixes), ...(nextToken === '' ? {} : { nextToken }) };
}

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

const NAME_ONLY: ReadonlySet<string> = new Set(['Name']);

const PROPERTIES: ReadonlySet<string> = new Set([
  'Last-Modified',
  'Etag',
  'Content-Length',
  'Content-Type',
  'Content-Encoding',
  'Content-Language',
  'Content-MD5',
  'Content-Disposition',
  'Cache-Control',
  'AccessTier',
]);

function readBlob(reader: XmlReader): BlobEntry {
  let name = '';
  let properties: Fields = {};
  let metadata: BlobMetadata = {};
  for (let part = reader.enter(); part !== undefined; part = reader.enter()) {
    if (part === 'Name') name = readName(reader);
    else if (part === 'Properties') properties = readFields(reader, PROPERTIES);
    else if (part === 'Metadata') metadata = readMetadata(reader);
    else reader.skip();
  }
  return blobEntry(name, properties, metadata);
}

function blobEntry(name: string, fields: Fields, metadata: BlobMetadata): BlobEntry {
  const md5 = fields['Content-MD5'];
  const hex = md5 === undefined ? undefined : md5ToHex(md5);
  return {
    kind: 'blob',
    name,
    ...contentFields(fields),
    size: Number(fields['Content-Length'] ?? 0),
    revision: quoted(fields['Etag'] ?? ''),
    lastModified: Date.parse(fields['Last-Modified'] ?? ''),
    ...(hex === undefined ? {} : { md5: hex }),
    metadata,
    ...(fields['AccessTier'] === 'Archive' ? { archived: true } : {}),
  };
}

const CONTENT_FIELDS = [
  ['contentType', 'Content-Type'],
  ['contentEncoding', 'Content-Encoding'],
  ['contentLanguage', 'Content-Language'],
  ['contentDisposition', 'Content-Disposition'],
  ['cacheControl', 'Cache-Control'],
] as const satisfies readonly (readonly [keyof ContentHeaders, string])[];

function contentFields(fields: Fields): ContentHeaders {
  const found: { -readonly [Field in keyof ContentHeaders]: ContentHeaders[Field] } = {};
  for (const [field, element] of CONTENT_FIELDS) {
    const value = fields[element];
    if (value !== undefined) found[field] = value;
  }
  return found;
}

function readContainer(reader: XmlReader): ContainerEntry {
  let name = '';
  let lastModified = 0;
  for (let part = reader.enter(); part !== undefined; part = reader.enter()) {
    if (part === 'Name') name = reader.text();
    else if (part === 'Properties') lastModified = Date.parse(readFields(reader, PROPERTIES)['Last-Modified'] ?? '');
    else reader.skip();
  }
  return { name, lastModified };
}

type Fields = Readonly<Record<string, string>>;

/** Text elements up to the end of the current one; empty ones count as absent. */
function readFields(reader: XmlReader, wanted?: ReadonlySet<string>): Fields {
  const fields: Record<string, string> = {};
  for (let field = reader.enter(); field !== undefined; field = reader.enter()) {
    if (wanted !== undefined && !wanted.has(field)) {
      reader.skip();
      continue;
    }
    const value = field === 'Name' ? readName(reader) : reader.text();
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
  const metadata: Record<string, string> = {};
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
