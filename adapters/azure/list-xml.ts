import type { BlobEntry, ContainerEntry, ListEntry, ListPage, PrefixEntry } from '../../src/store/blob-store.ts';
import { BlobList } from './blob-list.ts';
import { OWNER_METADATA } from './headers.ts';
import { XmlReader, malformed } from './xml-reader.ts';
import { readFields, readMetadata, readName } from './xml-values.ts';

/**
 * Answer of List Blobs. Blobs and prefixes come out interleaved in name order, however the service grouped them.
 * @throws StoreError unexpected for any other document
 */
export function parseBlobPage(document: Uint8Array): ListPage {
  const blobs = new BlobList();
  const prefixes: PrefixEntry[] = [];
  const nextToken = parsePage(new XmlReader(pieces(document)), 'Blobs', (reader, element) => {
    if (element === 'Blob') blobs.read(reader);
    else if (element === 'BlobPrefix') prefixes.push(readPrefix(reader));
    else reader.skip();
  });
  return { entries: interleave(blobs.entries(), prefixes), ...(nextToken === '' ? {} : { nextToken }) };
}

/** Bytes of which a text is made at a time: values are slices of it, and keep all of it in memory. */
const PIECE = 64 * 1024;
const BLOB_END = '</Blob>';

/**
 * The text of a document in pieces, each of which ends behind a blob. It is without the byte order mark with which the
 * service begins every document: for that alone, each character of the first piece would have two bytes.
 */
function* pieces(document: Uint8Array): Generator<string> {
  const bytes = Buffer.from(document.buffer, document.byteOffset, document.length);
  for (let from = Math.max(0, bytes.indexOf('<')); from < bytes.length; ) {
    const found = bytes.indexOf(BLOB_END, from + PIECE);
    const to = found < 0 ? bytes.length : found + BLOB_END.length;
    yield bytes.toString('utf8', from, to);
    from = to;
  }
}

/** Answer of List Containers. @throws StoreError unexpected for any other document */
export function parseContainerPage(xml: string): { containers: ContainerEntry[]; nextToken?: string } {
  const containers: ContainerEntry[] = [];
  const nextToken = parsePage(new XmlReader([xml].values()), 'Containers', (reader, element) => {
    if (element === 'Container') containers.push(readContainer(reader));
    else reader.skip();
  });
  return { containers, ...(nextToken === '' ? {} : { nextToken }) };
}

/**
 * Walks `<EnumerationResults>`; gives the marker of the next page, empty when this is the last. The service sends the
 * element `list` even when nothing is in it. A document without it comes from something in between, such as a proxy: if
 * it counted as an empty page, a bucket would seem empty and could be deleted with all that is in it.
 */
function parsePage(reader: XmlReader, list: string, onElement: (reader: XmlReader, element: string) => void): string {
  let nextMarker = '';
  let hasList = false;
  if (reader.enter() !== 'EnumerationResults') throw malformed('another root');
  for (let part = reader.enter(); part !== undefined; part = reader.enter()) {
    if (part === 'NextMarker') {
      nextMarker = reader.text();
    } else if (part === list) {
      hasList = true;
      eachElement(reader, onElement);
    } else {
      reader.skip();
    }
  }
  if (!hasList) throw malformed(`no ${list}`);
  return nextMarker;
}

function eachElement(reader: XmlReader, onElement: (reader: XmlReader, element: string) => void): void {
  for (let element = reader.enter(); element !== undefined; element = reader.enter()) onElement(reader, element);
}

function readPrefix(reader: XmlReader): PrefixEntry {
  let name = '';
  for (let part = reader.enter(); part !== undefined; part = reader.enter()) {
    if (part === 'Name') name = readName(reader);
    else reader.skip();
  }
  if (name === '') throw malformed('prefix without a name');
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
  if (name === '') throw malformed('container without a name');
  return { name, lastModified, ...(owner !== undefined && { owner }) };
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
