import type { XmlShape } from './shape.ts';
import { TAG } from './shape-parts.ts';

/** Request and answer of the tagging operations of objects and buckets. */
export const TAGGING = {
  root: 'Tagging',
  content: {
    kind: 'struct',
    fields: [{ element: 'Tag', property: 'tags', list: { wrapper: 'TagSet' }, content: TAG }],
  },
} as const satisfies XmlShape;
