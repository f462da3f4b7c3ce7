/** An element as it stood in the document: names without prefix. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Character data, decoded, in order. Of an element with children: only what stands between them. */
  readonly text: string;
}

const REFERENCE = /&(#[xX]?[\da-fA-F]+;|[a-z]+;)?/g;
const NAMED: Readonly<Record<string, string>> = { 'amp;': '&', 'lt;': '<', 'gt;': '>', 'quot;': '"', 'apos;': "'" };

/** Character data with its entities, the five and numeric ones, resolved. @throws Error for any other */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (_, reference: string | undefined) => {
    if (reference === undefined) throw new Error('a stray &');
    const named = NAMED[reference];
    if (named !== undefined) return named;
    if (!reference.startsWith('#')) throw new Error('an unknown entity');
    return codePoint(reference);
  });
}

/** Control characters are taken although XML 1.0 forbids them: keys may hold them, and listings name them so. */
function codePoint(reference: string): string {
  const hex = reference[1] === 'x' || reference[1] === 'X';
  const code = Number.parseInt(reference.slice(hex ? 2 : 1, -1), hex ? 16 : 10);
  if (!Number.isInteger(code) || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
    throw new Error('no such character');
  }
  return String.fromCodePoint(code);
}
