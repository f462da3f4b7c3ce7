import type { XmlShape } from './shape.ts';
import { IDENTITY, TAG, text } from './shape-parts.ts';

/** Request of CreateBucket. */
export const CREATE_BUCKET_CONFIGURATION = {
  root: 'CreateBucketConfiguration',
  content: {
    kind: 'struct',
    fields: [
      { element: 'LocationConstraint', content: text },
      // Of directory buckets, which are refused.
      {
        element: 'Location',
        content: {
          kind: 'struct',
          fields: [
            { element: 'Name', content: text },
            { element: 'Type', content: text },
          ],
        },
      },
      {
        element: 'Bucket',
        content: {
          kind: 'struct',
          fields: [
            { element: 'DataRedundancy', content: text },
            { element: 'Type', content: text },
          ],
        },
      },
      { element: 'Tag', property: 'tags', list: { wrapper: 'Tags' }, content: TAG },
    ],
  },
} as const satisfies XmlShape;

export const LOCATION_CONSTRAINT: XmlShape = { root: 'LocationConstraint', content: text };

export const LIST_ALL_MY_BUCKETS_RESULT: XmlShape = {
  root: 'ListAllMyBucketsResult',
  content: {
    kind: 'struct',
    fields: [
      { element: 'Owner', content: IDENTITY },
      {
        element: 'Bucket',
        property: 'buckets',
        list: { wrapper: 'Buckets' },
        content: {
          kind: 'struct',
          fields: [
            { element: 'Name', content: text },
            { element: 'CreationDate', content: text },
            { element: 'BucketRegion', content: text },
            { element: 'BucketArn', content: text },
          ],
        },
      },
      { element: 'ContinuationToken', content: text },
      { element: 'Prefix', content: text },
    ],
  },
};
