import type { XmlShape } from './shape.ts';
import { text } from './shape-parts.ts';

/** Request and answer of the tagging operations of objects and buckets. */
export const TAGGING = {
  root: 'Tagging',
  content: {
    kind: 'struct',
    fields: [
      {
        element: 'Tag',
        property: 'tags',
        list: { wrapper: 'TagSet' },
        content: {
          kind: 'struct',
          fields: [
            { element: 'Key', content: text, required: true },
            { element: 'Value', content: text, required: true },
          ],
        },
      },
    ],
  },
} as const satisfies XmlShape;
