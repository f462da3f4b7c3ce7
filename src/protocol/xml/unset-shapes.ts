import { type XmlDocument, xml } from './document.ts';
import type { XmlContent } from './shape.ts';
import { boolean } from './shape-parts.ts';

/** A root element and nothing in it. */
export function emptyDocument(root: string): XmlDocument {
  return xml({ root, content: { kind: 'struct', fields: [] } }, {});
}

/** A list of configurations in which there is none. */
export const CONFIGURATION_LIST_FIELDS: XmlContent = {
  kind: 'struct',
  fields: [{ element: 'IsTruncated', content: boolean }],
};
