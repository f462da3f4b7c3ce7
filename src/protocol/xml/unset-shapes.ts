import { type XmlDocument, xml } from './document.ts';
import type { XmlShape } from './shape.ts';
import { boolean, text } from './shape-parts.ts';

/** A root element and nothing in it. */
export function emptyDocument(root: string): XmlDocument {
  return xml({ root, content: { kind: 'struct', fields: [] } }, {});
}

export const REQUEST_PAYMENT_CONFIGURATION: XmlShape = {
  root: 'RequestPaymentConfiguration',
  content: { kind: 'struct', fields: [{ element: 'Payer', content: text }] },
};

export const SERVER_SIDE_ENCRYPTION_CONFIGURATION: XmlShape = {
  root: 'ServerSideEncryptionConfiguration',
  content: {
    kind: 'struct',
    fields: [
      {
        element: 'Rule',
        list: {},
        content: {
          kind: 'struct',
          fields: [
            {
              element: 'ApplyServerSideEncryptionByDefault',
              content: { kind: 'struct', fields: [{ element: 'SSEAlgorithm', content: text }] },
            },
            { element: 'BucketKeyEnabled', content: boolean },
          ],
        },
      },
    ],
  },
};
