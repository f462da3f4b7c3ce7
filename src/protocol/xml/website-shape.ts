import type { XmlShape } from './shape.ts';
import { text } from './shape-parts.ts';

/** Body of Put- and GetBucketWebsite. */
export const WEBSITE_CONFIGURATION = {
  root: 'WebsiteConfiguration',
  content: {
    kind: 'struct',
    fields: [
      {
        element: 'RedirectAllRequestsTo',
        content: {
          kind: 'struct',
          fields: [
            { element: 'HostName', content: text, required: true },
            { element: 'Protocol', content: text },
          ],
        },
      },
      {
        element: 'IndexDocument',
        content: { kind: 'struct', fields: [{ element: 'Suffix', content: text, required: true }] },
      },
      {
        element: 'ErrorDocument',
        content: { kind: 'struct', fields: [{ element: 'Key', content: text, required: true }] },
      },
      {
        element: 'RoutingRule',
        property: 'rules',
        list: { wrapper: 'RoutingRules' },
        content: {
          kind: 'struct',
          fields: [
            {
              element: 'Condition',
              content: {
                kind: 'struct',
                fields: [
                  { element: 'HttpErrorCodeReturnedEquals', content: text },
                  { element: 'KeyPrefixEquals', content: text },
                ],
              },
            },
            {
              element: 'Redirect',
              required: true,
              content: {
                kind: 'struct',
                fields: [
                  { element: 'HostName', content: text },
                  { element: 'HttpRedirectCode', content: text },
                  { element: 'Protocol', content: text },
                  { element: 'ReplaceKeyPrefixWith', content: text },
                  { element: 'ReplaceKeyWith', content: text },
                ],
              },
            },
          ],
        },
      },
    ],
  },
} as const satisfies XmlShape;
