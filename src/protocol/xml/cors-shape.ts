import type { XmlShape } from './shape.ts';
import { number, text } from './shape-parts.ts';

/** Body of Put- and GetBucketCors. */
export const CORS_CONFIGURATION = {
  root: 'CORSConfiguration',
  content: {
    kind: 'struct',
    fields: [
      {
        element: 'CORSRule',
        property: 'rules',
        list: {},
        required: true,
        content: {
          kind: 'struct',
          fields: [
            { element: 'ID', content: text },
            { element: 'AllowedMethod', content: text, list: {}, required: true },
            { element: 'AllowedOrigin', content: text, list: {}, required: true },
            { element: 'AllowedHeader', content: text, list: {} },
            { element: 'MaxAgeSeconds', content: number },
            { element: 'ExposeHeader', content: text, list: {} },
          ],
        },
      },
    ],
  },
} as const satisfies XmlShape;
