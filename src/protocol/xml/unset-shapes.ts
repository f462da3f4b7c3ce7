import type { XmlContent } from './shape.ts';
import { boolean } from './shape-parts.ts';

/** A list of configurations in which there is none. */
export const CONFIGURATION_LIST_FIELDS: XmlContent = {
  kind: 'struct',
  fields: [{ element: 'IsTruncated', content: boolean }],
};
