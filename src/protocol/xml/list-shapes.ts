import type { XmlField, XmlShape } from './shape.ts';
import { IDENTITY, boolean, fields, number, text } from './shape-parts.ts';

export const OWNER: XmlField = { element: 'Owner', content: IDENTITY };
const COMMON_PREFIXES: XmlField = {
  element: 'CommonPrefixes',
  list: {},
  content: { kind: 'struct', fields: fields(text, 'Prefix') },
};

export const RESTORE_STATUS: XmlField = {
  element: 'RestoreStatus',
  content: {
    kind: 'struct',
    fields: [...fields(boolean, 'IsRestoreInProgress'), ...fields(text, 'RestoreExpiryDate')],
  },
};

/** Of an object or a version, behind what names it. */
const OBJECT_FIELDS: readonly XmlField[] = [
  ...fields(text, 'LastModified', 'ETag'),
  { element: 'ChecksumAlgorithm', list: {}, content: text },
  ...fields(text, 'ChecksumType'),
  ...fields(number, 'Size'),
  OWNER,
  ...fields(text, 'StorageClass'),
  RESTORE_STATUS,
];

const CONTENTS: XmlField = {
  element: 'Contents',
  list: {},
  content: { kind: 'struct', fields: [...fields(text, 'Key'), ...OBJECT_FIELDS] },
};

/** What all listings say about the request behind their markers. */
const PAGE_FIELDS: readonly XmlField[] = [
  ...fields(number, 'MaxKeys'),
  ...fields(text, 'Delimiter', 'EncodingType'),
  ...fields(boolean, 'IsTruncated'),
];

export const LIST_OBJECTS_RESULT: XmlShape = {
  root: 'ListBucketResult',
  content: {
    kind: 'struct',
    fields: [...fields(text, 'Name', 'Prefix', 'Marker', 'NextMarker'), ...PAGE_FIELDS, CONTENTS, COMMON_PREFIXES],
  },
};

export const LIST_OBJECTS_V2_RESULT: XmlShape = {
  root: 'ListBucketResult',
  content: {
    kind: 'struct',
    fields: [
      ...fields(text, 'Name', 'Prefix', 'StartAfter', 'ContinuationToken', 'NextContinuationToken'),
      ...fields(number, 'KeyCount'),
      ...PAGE_FIELDS,
      CONTENTS,
      COMMON_PREFIXES,
    ],
  },
};

const VERSION_FIELDS: readonly XmlField[] = [...fields(text, 'Key', 'VersionId'), ...fields(boolean, 'IsLatest')];

export const LIST_OBJECT_VERSIONS_RESULT: XmlShape = {
  root: 'ListVersionsResult',
  content: {
    kind: 'struct',
    fields: [
      ...fields(text, 'Name', 'Prefix', 'KeyMarker', 'VersionIdMarker', 'NextKeyMarker', 'NextVersionIdMarker'),
      ...PAGE_FIELDS,
      {
        element: 'Version',
        property: 'entries',
        list: {
          among: {
            DeleteMarker: { kind: 'struct', fields: [...VERSION_FIELDS, ...fields(text, 'LastModified'), OWNER] },
          },
        },
        content: { kind: 'struct', fields: [...VERSION_FIELDS, ...OBJECT_FIELDS] },
      },
      COMMON_PREFIXES,
    ],
  },
};
