import type { OperationDeclaration } from './operation-row.ts';

/** S3 Control, as far as it is about buckets: what infrastructure code calls for their tags. */
export const CONTROL_ROWS = [
  {
    name: 'ListTagsForResource',
    level: 'control',
    method: 'GET',
    permission: 's3:ListTagsForResource',
    anonymous: false,
  },
  {
    name: 'TagResource',
    level: 'control',
    method: 'POST',
    body: 'xml',
    permission: 's3:TagResource',
    anonymous: false,
    decidedOn: 'bucketTags',
  },
  {
    name: 'UntagResource',
    level: 'control',
    method: 'DELETE',
    permission: 's3:UntagResource',
    anonymous: false,
    decidedOn: 'bucketTags',
  },
] as const satisfies readonly OperationDeclaration[];
