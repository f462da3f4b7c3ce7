import type { BlobMetadata } from '../../src/store/blob-store.ts';
import { NamedValues } from '../../src/observe/named-values.ts';
import { XmlReader, malformed } from './xml-reader.ts';

/** Fields of a document that holds only text elements below its root. */
export function parseFields(xml: string): Readonly<Record<string, string>> {
  const reader = new XmlReader([xml].values());
  return reader.enter() === undefined ? {} : readFields(reader);
}

/** Text elements up to the end of the current one; empty ones count as absent. */
export function readFields(reader: XmlReader): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (let field = reader.enter(); field !== undefined; field = reader.enter()) {
    const value = reader.text();
    if (value !== '') fields[field] = value;
  }
  return fields;
}

/** Names with characters that XML cannot hold come percent-encoded and marked so. @throws StoreError unexpected */
export function readName(reader: XmlReader): string {
  const encoded = reader.attributes.includes('Encoded="true"');
  const name = reader.text();
  if (!encoded) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    throw malformed('name that is not encoded as it says');
  }
}

export function readMetadata(reader: XmlReader): BlobMetadata {
  const metadata = new NamedValues();
  for (let name = reader.enter(); name !== undefined; name = reader.enter()) {
    const value = reader.text();
    if (value !== '') metadata[name.toLowerCase()] = value;
  }
  return metadata;
}
