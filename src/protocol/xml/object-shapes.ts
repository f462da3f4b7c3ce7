import type { XmlShape } from './shape.ts';
import { CHECKSUMS, boolean, fields, number, text } from './shape-parts.ts';

export const COPY_OBJECT_RESULT: XmlShape = {
  root: 'CopyObjectResult',
  content: { kind: 'struct', fields: [...fields(text, 'LastModified', 'ETag', 'ChecksumType'), ...CHECKSUMS] },
};

/** Of a form that asks for 201. */
export const POST_RESPONSE: XmlShape = {
  root: 'PostResponse',
  namespace: null,
  content: { kind: 'struct', fields: fields(text, 'Location', 'Bucket', 'Key', 'ETag') },
};

/** Request of DeleteObjects. */
export const DELETE = {
  root: 'Delete',
  content: {
    kind: 'struct',
    fields: [
      { element: 'Quiet', content: boolean },
      {
        element: 'Object',
        property: 'objects',
        list: {},
        content: {
          kind: 'struct',
          fields: [
            { element: 'Key', content: text, required: true },
            { element: 'VersionId', content: text },
            { element: 'ETag', content: text },
            { element: 'LastModifiedTime', content: text },
            { element: 'Size', content: text },
          ],
        },
      },
    ],
  },
} as const satisfies XmlShape;

export const DELETE_RESULT: XmlShape = {
  root: 'DeleteResult',
  content: {
    kind: 'struct',
    fields: [
      {
        element: 'Deleted',
        list: {},
        content: {
          kind: 'struct',
          fields: [
            ...fields(text, 'Key', 'VersionId'),
            { element: 'DeleteMarker', content: boolean },
            ...fields(text, 'DeleteMarkerVersionId'),
          ],
        },
      },
      {
        element: 'Error',
        list: {},
        content: { kind: 'struct', fields: fields(text, 'Key', 'VersionId', 'Code', 'Message') },
      },
    ],
  },
};

export const GET_OBJECT_ATTRIBUTES_RESULT: XmlShape = {
  root: 'GetObjectAttributesResponse',
  content: {
    kind: 'struct',
    fields: [
      { element: 'ETag', content: text },
      {
        element: 'Checksum',
        content: { kind: 'struct', fields: [...CHECKSUMS, { element: 'ChecksumType', content: text }] },
      },
      {
        element: 'ObjectParts',
        content: {
          kind: 'struct',
          fields: [
            ...fields(number, 'PartsCount', 'PartNumberMarker', 'NextPartNumberMarker', 'MaxParts'),
            { element: 'IsTruncated', content: boolean },
            {
              element: 'Part',
              list: {},
              content: { kind: 'struct', fields: [...fields(number, 'PartNumber', 'Size'), ...CHECKSUMS] },
            },
          ],
        },
      },
      { element: 'StorageClass', content: text },
      { element: 'ObjectSize', content: number },
    ],
  },
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_RestoreObject.html, without queries of what is restored. */
export const RESTORE_REQUEST = {
  root: 'RestoreRequest',
  content: {
    kind: 'struct',
    fields: [
      { element: 'Days', content: number },
      {
        element: 'GlacierJobParameters',
        content: { kind: 'struct', fields: [{ element: 'Tier', content: text, required: true }] },
      },
      { element: 'Type', content: text },
      { element: 'Tier', content: text },
      { element: 'Description', content: text },
    ],
  },
} as const satisfies XmlShape;
