import { TAG, boolean, number, text } from './shape-parts.ts';
import type { XmlShape } from './shape.ts';

const PREDICATES = [
  { element: 'Prefix', content: text },
  { element: 'ObjectSizeGreaterThan', content: number },
  { element: 'ObjectSizeLessThan', content: number },
] as const;

/** Body of Put- and GetBucketLifecycleConfiguration, of the old form (`Prefix`) and the new one (`Filter`). */
export const LIFECYCLE_CONFIGURATION = {
  root: 'LifecycleConfiguration',
  content: {
    kind: 'struct',
    fields: [
      {
        element: 'Rule',
        property: 'rules',
        list: {},
        required: true,
        content: {
          kind: 'struct',
          fields: [
            { element: 'ID', content: text },
            { element: 'Prefix', content: text },
            {
              element: 'Filter',
              content: {
                kind: 'struct',
                fields: [
                  ...PREDICATES,
                  { element: 'Tag', content: TAG },
                  {
                    element: 'And',
                    content: {
                      kind: 'struct',
                      fields: [...PREDICATES, { element: 'Tag', property: 'tags', list: {}, content: TAG }],
                    },
                  },
                ],
              },
            },
            { element: 'Status', content: text, required: true },
            {
              element: 'Expiration',
              content: {
                kind: 'struct',
                fields: [
                  { element: 'Days', content: number },
                  { element: 'Date', content: text },
                  { element: 'ExpiredObjectDeleteMarker', content: boolean },
                ],
              },
            },
            {
              element: 'Transition',
              property: 'transitions',
              list: {},
              content: {
                kind: 'struct',
                fields: [
                  { element: 'Days', content: number },
                  { element: 'Date', content: text },
                  { element: 'StorageClass', content: text, required: true },
                ],
              },
            },
            {
              element: 'NoncurrentVersionExpiration',
              content: {
                kind: 'struct',
                fields: [
                  { element: 'NoncurrentDays', content: number, required: true },
                  { element: 'NewerNoncurrentVersions', content: number },
                ],
              },
            },
            {
              element: 'NoncurrentVersionTransition',
              property: 'noncurrentTransitions',
              list: {},
              content: {
                kind: 'struct',
                fields: [
                  { element: 'NoncurrentDays', content: number, required: true },
                  { element: 'NewerNoncurrentVersions', content: number },
                  { element: 'StorageClass', content: text, required: true },
                ],
              },
            },
            {
              element: 'AbortIncompleteMultipartUpload',
              content: {
                kind: 'struct',
                fields: [{ element: 'DaysAfterInitiation', content: number, required: true }],
              },
            },
          ],
        },
      },
    ],
  },
} as const satisfies XmlShape;
