import { S3Error, notOffered } from '../../../errors/s3-error.ts';
import { SMALL_DOCUMENT } from '../../../protocol/xml/decode.ts';
import { parseTree } from '../../../protocol/xml/parse-tree.ts';
import type { S3Request } from '../../../protocol/request.ts';

/** A document that the gateway checks but does not understand: its root, and the elements that may stand in it. */
export interface ForeignDocument {
  readonly root: string;
  readonly children: readonly string[];
}

/**
 * @param missing code for a body of no bytes
 * @returns names of the elements in the root @throws S3Error MalformedXML
 */
export async function elementsOf(
  request: S3Request,
  { root, children }: ForeignDocument,
  missing: 'MalformedXML' | 'MissingRequestBodyError' = 'MalformedXML',
): Promise<readonly string[]> {
  const bytes = await request.body.readAll(SMALL_DOCUMENT.bytes);
  if (bytes.length === 0) throw new S3Error(missing);
  try {
    const document = parseTree(bytes, SMALL_DOCUMENT);
    if (document.name !== root) throw new Error(`<${root}> is expected`);
    const names = document.children.map(({ name }) => name);
    const stranger = names.find((name) => !children.includes(name));
    if (stranger !== undefined) throw new Error(`<${stranger}> is not expected in <${root}>`);
    return names;
  } catch (error) {
    throw new S3Error('MalformedXML', { cause: error });
  }
}

/**
 * Requires the word that describes what is in force; the other word asks for what the gateway does not offer.
 * @throws S3Error MalformedXML, NotImplemented
 */
export function requireInForce(
  word: string | undefined,
  words: { readonly inForce: string; readonly refused: string; readonly what: string },
): void {
  if (word === words.inForce) return;
  throw word === words.refused ? notOffered(words.what) : new S3Error('MalformedXML');
}
