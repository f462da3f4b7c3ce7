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
import { BlobTemplate, type BlobValues } from './blob-template.ts';
import { OWNER_METADATA, md5ToHex } from './headers.ts';
import { ListedMd5s } from '../shared/listed-md5.ts';
import { PageText, Pattern } from './page-text.ts';
import { parseServiceDate } from './service-date.ts';
import { XmlReader } from './xml-reader.ts';
import { NamedValues } from '../../src/observe/named-values.ts';

/** Answer of List Blobs. Blobs and prefixes come out interleaved in name order, however the service grouped them. */
export function parseBlobPage(document: Uint8Array): ListPage {
  const page = new PageText(document);
  const blobs = new BlobList(page);
  const prefixes: PrefixEntry[] = [];
  const nextToken = parsePage(new XmlReader(page), 'Blobs', (reader, element) => {
    if (element === 'Blob') blobs.read(reader);
    else if (element === 'BlobPrefix') prefixes.push(readPrefix(reader));
    else reader.skip();
  });
  return { entries: interleave(blobs.entries(), prefixes), ...(nextToken === '' ? {} : { nextToken }) };
}

/** Blobs that differ from one before them by their values alone are read by comparing: in a quarter of the time. */
class BlobList {
  readonly #page: PageText;
  readonly #templates: BlobTemplate[] = [];
  #misses = 0;
  readonly #blobs: Draft<BlobEntry>[] = [];
  readonly #md5s = new ListedMd5s();
  /** Those whose MD5 is among `#md5s`, in that order. */
  readonly #withMd5: Draft<BlobEntry>[] = [];
  #modified = '';
  #modifiedTime = Number.NaN;

  constructor(page: PageText) {
    this.#page = page;
  }

  /** The next one, whose tag was entered. */
  read(reader: XmlReader): void {
    const from = reader.position;
    const end = this.#readAlike(from);
    if (end >= 0) {
      reader.leaveAt(end);
      return;
    }
    this.#add(readBlob(reader));
    this.#misses += 1;
    // A page of which each blob is of another kind must not cost more by it.
    if (this.#misses > MOST_MISSES) return;
    const template = BlobTemplate.of(this.#page, { from, to: reader.position }, PLACES);
    if (template !== undefined && this.#templates.unshift(template) > MOST_TEMPLATES) this.#templates.pop();
  }

  /**
   * Reads a blob by the templates, and as many behind it as fit. @param from behind its tag
   * @returns the place behind the last one's end tag; -1: the first fits none
   */
  #readAlike(from: number): number {
    let end = -1;
    for (let next = this.#byTemplate(from); next >= 0; next = this.#byTemplate(end + BLOB.length)) {
      end = next;
      if (!BLOB.standsIn(this.#page, end)) break;
    }
    return end;
  }

  #byTemplate(from: number): number {
    for (const template of this.#templates) {
      const end = template.read(from);
      if (end < 0) continue;
      this.#add(template);
      return end;
    }
    return -1;
  }

  entries(): readonly BlobEntry[] {
    const hex = this.#md5s.inHex();
    this.#withMd5.forEach((blob, at) => (blob.md5 = hex[at] ?? ''));
    return this.#blobs;
  }

  #add({ name, properties, metadata }: BlobValues): void {
    const size = Number(properties[SIZE] ?? '0');
    const revision = quoted(properties[ETAG] ?? '');
    const lastModified = this.#timeOf(properties[LAST_MODIFIED] ?? '');
    const contentType = properties[0];
    const base64 = properties[MD5];
    const isListed = base64 !== undefined && this.#md5s.add(base64);
    // What nearly all blobs have is there from the start: what is added later takes another piece of memory for each.
    const entry: Draft<BlobEntry> =
      isListed && contentType !== undefined
        ? { kind: 'blob', name, size, revision, lastModified, metadata, contentType, md5: '' }
        : { kind: 'blob', name, size, revision, lastModified, metadata };
    for (let place = 0; place < CONTENT_FIELDS.length; place += 1) {
      const value = properties[place];
      const field = CONTENT_FIELDS[place];
      if (value !== undefined && field !== undefined) entry[field] = value;
    }
    if (isListed) this.#withMd5.push(entry);
    else if (base64 !== undefined) addMd5(entry, base64);
    if (properties[TIER] === 'Archive') entry.archived = true;
    this.#blobs.push(entry);
  }

  /** Blobs of a page often have the same time. */
  #timeOf(text: string): number {
    if (text !== this.#modified) {
      this.#modified = text;
      this.#modifiedTime = parseServiceDate(text);
    }
    return this.#modifiedTime;
  }
}

/** One that is not written as the service writes it. */
function addMd5(entry: Draft<BlobEntry>, base64: string): void {
  const hex = md5ToHex(base64);
  if (hex !== undefined) entry.md5 = hex;
}

const BLOB = Pattern.of('<Blob>');
const MOST_TEMPLATES = 4;
const MOST_MISSES = 32;

/** Answer of List Containers. */
export function parseContainerPage(xml: string): { containers: ContainerEntry[]; nextToken?: string } {
  const containers: ContainerEntry[] = [];
  const nextToken = parsePage(new XmlReader(xml), 'Containers', (reader, element) => {
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
function parsePage(reader: XmlReader, list: string, onElement: (reader: XmlReader, element: string) => void): string {
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

function readBlob(reader: XmlReader): BlobValues {
  let name = '';
  let properties: Values = [];
  let metadata: BlobMetadata = {};
  for (let part = reader.enter(); part !== undefined; part = reader.enter()) {
    if (part === 'Name') name = readName(reader);
    else if (part === 'Properties') properties = readProperties(reader);
    else if (part === 'Metadata') metadata = readMetadata(reader);
    else reader.skip();
  }
  return { name, properties, metadata };
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
