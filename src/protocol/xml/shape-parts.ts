import type { XmlContent, XmlField } from './shape.ts';

export const text = { kind: 'text' } as const;
export const number = { kind: 'number' } as const;
export const boolean = { kind: 'boolean' } as const;

/**
 * Elements of the same kind, in this order. For encoders: what a decoder is to read is spelled out, so that its type
 * follows.
 */
export function fields(content: XmlContent, ...elements: string[]): XmlField[] {
  return elements.map((element) => ({ element, content }));
}

/** An account or a user, for encoders. */
export const IDENTITY: XmlContent = { kind: 'struct', fields: fields(text, 'ID', 'DisplayName') };

/** What a `Tag` element holds. */
export const TAG = {
  kind: 'struct',
  fields: [
    { element: 'Key', content: text, required: true },
    { element: 'Value', content: text, required: true },
  ],
} as const;

/** The elements that may say a checksum, in the order in which S3 writes them. */
export const CHECKSUMS = fields(
  text,
  'ChecksumCRC32',
  'ChecksumCRC32C',
  'ChecksumCRC64NVME',
  'ChecksumSHA1',
  'ChecksumSHA256',
  'ChecksumSHA512',
  'ChecksumMD5',
  'ChecksumXXHASH64',
  'ChecksumXXHASH3',
  'ChecksumXXHASH128',
);
