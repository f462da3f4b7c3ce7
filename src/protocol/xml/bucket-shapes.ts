import type { XmlShape } from './shape.ts';

/** Request of CreateBucket. */
export const CREATE_BUCKET_CONFIGURATION = {
  root: 'CreateBucketConfiguration',
  content: { kind: 'struct', fields: [{ element: 'LocationConstraint', content: { kind: 'text' } }] },
} as const satisfies XmlShape;

export const LOCATION_CONSTRAINT: XmlShape = { root: 'LocationConstraint', content: { kind: 'text' } };

export const LIST_ALL_MY_BUCKETS_RESULT: XmlShape = {
  root: 'ListAllMyBucketsResult',
  content: {
    kind: 'struct',
    fields: [
      {
        element: 'Owner',
        content: {
          kind: 'struct',
          fields: [
            { element: 'ID', content: { kind: 'text' } },
            { element: 'DisplayName', content: { kind: 'text' } },
          ],
        },
      },
      {
        element: 'Bucket',
        property: 'buckets',
        list: { wrapper: 'Buckets' },
        content: {
          kind: 'struct',
          fields: [
            { element: 'Name', content: { kind: 'text' } },
            { element: 'CreationDate', content: { kind: 'text' } },
            { element: 'BucketRegion', content: { kind: 'text' } },
          ],
        },
      },
      { element: 'ContinuationToken', content: { kind: 'text' } },
      { element: 'Prefix', content: { kind: 'text' } },
    ],
  },
};
