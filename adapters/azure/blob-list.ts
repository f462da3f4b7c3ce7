import type { BlobEntry, BlobMetadata, ContentHeaders, Revision } from '../../src/store/blob-store.ts';
import { BlobTemplate, type BlobValues } from './blob-template.ts';
import { addTier } from './headers.ts';
import { isPlain } from '../../src/observe/plain.ts';
import { md5ToHex } from '../shared/md5.ts';
import { type XmlReader, malformed } from './xml-reader.ts';
import { readMetadata, readName } from './xml-values.ts';

type Draft<T> = { -readonly [Field in keyof T]: T[Field] };

/** Blobs that differ from one before them by their values alone are read by a template: in a quarter of the time. */
export class BlobList {
  readonly #templates: BlobTemplate[] = [];
  #misses = 0;
  readonly #blobs: Draft<BlobEntry>[] = [];
  #modified = '';
  #modifiedTime = Number.NaN;

  /** The next one, whose tag was entered. */
  read(reader: XmlReader): void {
    const { text, at } = reader.here;
    const end = isPlain ? -1 : this.#readAlike(text, at);
    if (end >= 0) {
      reader.leaveAt(end);
      return;
    }
    this.#add(readBlob(reader));
    this.#misses += 1;
    // A page of which each blob is of another kind must not cost more by it.
    if (isPlain || this.#misses > MOST_MISSES) return;
    const template = BlobTemplate.of(text.slice(at, reader.here.at), PLACES);
    if (template !== undefined && this.#templates.unshift(template) > MOST_TEMPLATES) this.#templates.pop();
  }

  /**
   * Reads a blob by the templates, and as many behind it as fit. @param from behind its tag
   * @returns the place behind the last one's end tag; -1: the first fits none
   */
  #readAlike(page: string, from: number): number {
    let end = -1;
    for (let next = this.#byTemplate(page, from); next >= 0; next = this.#byTemplate(page, end + BLOB.length)) {
      end = next;
      if (!page.startsWith(BLOB, end)) break;
    }
    return end;
  }

  #byTemplate(page: string, from: number): number {
    for (const template of this.#templates) {
      const end = template.read(page, from);
      if (end < 0) continue;
      this.#add(template);
      return end;
    }
    return -1;
  }

  entries(): readonly BlobEntry[] {
    return this.#blobs;
  }

  /** @throws StoreError unexpected without what every blob has: a revision is what conditions are about */
  #add({ name, properties, metadata }: BlobValues): void {
    const etag = properties[ETAG];
    if (name === '' || etag === undefined) throw malformed('blob without a name or an ETag');
    const size = Number(properties[SIZE] ?? '0');
    const revision = quoted(etag);
    const lastModified = this.#timeOf(properties[LAST_MODIFIED] ?? '');
    const entry: Draft<BlobEntry> = { kind: 'blob', name, size, revision, lastModified, metadata };
    const md5 = md5ToHex(properties[MD5] ?? '');
    if (md5 !== undefined) entry.md5 = md5;
    for (let place = 0; place < CONTENT_FIELDS.length; place += 1) {
      const value = properties[place];
      const field = CONTENT_FIELDS[place];
      if (value !== undefined && field !== undefined) entry[field] = value;
    }
    addTier(entry, properties[TIER]);
    this.#blobs.push(entry);
  }

  /** Blobs of a page often have the same time. */
  #timeOf(text: string): number {
    if (text !== this.#modified) {
      this.#modified = text;
      this.#modifiedTime = Date.parse(text);
    }
    return this.#modifiedTime;
  }
}

const BLOB = '<Blob>';
const MOST_TEMPLATES = 4;
const MOST_MISSES = 32;

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

/** Listings leave out the quotes that every other answer has and that conditions need. */
function quoted(etag: string): Revision {
  return (etag.startsWith('"') ? etag : `"${etag}"`) as Revision;
}
