import type { XmlField, XmlShape } from './shape.ts';
import { CHECKSUMS, IDENTITY, boolean, fields, number, text } from './shape-parts.ts';

const INITIATOR_AND_OWNER: readonly XmlField[] = [
  ...fields(IDENTITY, 'Initiator', 'Owner'),
  ...fields(text, 'StorageClass'),
];

export const INITIATE_MULTIPART_UPLOAD_RESULT: XmlShape = {
  root: 'InitiateMultipartUploadResult',
  content: { kind: 'struct', fields: fields(text, 'Bucket', 'Key', 'UploadId') },
};

/** Request of CompleteMultipartUpload. */
export const COMPLETE_MULTIPART_UPLOAD = {
  root: 'CompleteMultipartUpload',
  content: {
    kind: 'struct',
    fields: [
      {
        element: 'Part',
        property: 'parts',
        list: {},
        content: {
          kind: 'struct',
          fields: [
            { element: 'PartNumber', content: number, required: true },
            { element: 'ETag', content: text, required: true },
            { element: 'ChecksumCRC32', content: text },
            { element: 'ChecksumCRC32C', content: text },
            { element: 'ChecksumCRC64NVME', content: text },
            { element: 'ChecksumSHA1', content: text },
            { element: 'ChecksumSHA256', content: text },
            { element: 'ChecksumSHA512', content: text },
            { element: 'ChecksumMD5', content: text },
            { element: 'ChecksumXXHASH64', content: text },
            { element: 'ChecksumXXHASH3', content: text },
            { element: 'ChecksumXXHASH128', content: text },
          ],
        },
      },
    ],
  },
} as const satisfies XmlShape;

export const COMPLETE_MULTIPART_UPLOAD_RESULT: XmlShape = {
  root: 'CompleteMultipartUploadResult',
  content: {
    kind: 'struct',
    fields: [...fields(text, 'Location', 'Bucket', 'Key', 'ETag'), ...CHECKSUMS, ...fields(text, 'ChecksumType')],
  },
};

export const COPY_PART_RESULT: XmlShape = {
  root: 'CopyPartResult',
  content: { kind: 'struct', fields: [...fields(text, 'LastModified', 'ETag'), ...CHECKSUMS] },
};

export const LIST_PARTS_RESULT: XmlShape = {
  root: 'ListPartsResult',
  content: {
    kind: 'struct',
    fields: [
      ...fields(text, 'Bucket', 'Key', 'UploadId'),
      ...INITIATOR_AND_OWNER,
      ...fields(number, 'PartNumberMarker', 'NextPartNumberMarker', 'MaxParts'),
      ...fields(boolean, 'IsTruncated'),
      ...fields(text, 'ChecksumAlgorithm', 'ChecksumType'),
      {
        element: 'Part',
        list: {},
        content: {
          kind: 'struct',
          fields: [
            ...fields(number, 'PartNumber'),
            ...fields(text, 'LastModified', 'ETag'),
            ...fields(number, 'Size'),
            ...CHECKSUMS,
          ],
        },
      },
    ],
  },
};

export const LIST_MULTIPART_UPLOADS_RESULT: XmlShape = {
  root: 'ListMultipartUploadsResult',
  content: {
    kind: 'struct',
    fields: [
      ...fields(
        text,
        'Bucket',
        'KeyMarker',
        'UploadIdMarker',
        'NextKeyMarker',
        'NextUploadIdMarker',
        'Prefix',
        'Delimiter',
        'EncodingType',
      ),
      ...fields(number, 'MaxUploads'),
      ...fields(boolean, 'IsTruncated'),
      {
        element: 'Upload',
        list: {},
        content: {
          kind: 'struct',
          fields: [
            ...fields(text, 'Key', 'UploadId'),
            ...INITIATOR_AND_OWNER,
            ...fields(text, 'Initiated', 'ChecksumAlgorithm', 'ChecksumType'),
          ],
        },
      },
      { element: 'CommonPrefixes', list: {}, content: { kind: 'struct', fields: fields(text, 'Prefix') } },
    ],
  },
};
