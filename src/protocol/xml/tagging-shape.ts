import type { XmlShape } from './shape.ts';

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
            { element: 'Key', content: { kind: 'text' }, required: true },
            { element: 'Value', content: { kind: 'text' }, required: true },
          ],
        },
      },
    ],
  },
} as const satisfies XmlShape;
