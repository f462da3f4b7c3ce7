import { ACL_RULES } from './rules/acl.ts';
import { COMMON_RULES } from './rules/common.ts';
import { COPY_OBJECT_RULES } from './rules/copy-object.ts';
import { COPY_SOURCE_RULES } from './rules/copy-source.ts';
import { MULTIPART_RULES } from './rules/multipart.ts';
import { TAGGING_AND_DELETION_RULES } from './rules/tagging-and-deletion.ts';
import { VERSION_AND_LOCK_RULES } from './rules/versions-and-locks.ts';

/**
 * What the nine operations of the specification promise (UploadPartCopy, PutObjectAcl, GetObjectAcl, ListParts,
 * CopyObject, DeleteObject, GetObjectTagging, DeleteObjectTagging, AbortMultipartUpload), sentence by sentence. Each
 * rule has a test: docs/rules.md.
 */
export const RULES = {
  ...COMMON_RULES,
  ...COPY_SOURCE_RULES,
  ...COPY_OBJECT_RULES,
  ...MULTIPART_RULES,
  ...ACL_RULES,
  ...TAGGING_AND_DELETION_RULES,
  ...VERSION_AND_LOCK_RULES,
};

export type RuleId = keyof typeof RULES;

/** What the specification says that no request can show: section, sentence, why. */
export const OUTSIDE: readonly (readonly [section: string, says: string, why: string])[] = [
  [
    '4.1',
    'Access points work only within one Region',
    'There are no access points: such a source is 501 NotImplemented',
  ],
  [
    '4.5',
    'Both Regions must be enabled for the account',
    'A service has one region, and accounts are enabled by being configured',
  ],
  ['4.5', 'The charge follows storage class and Region of the destination', 'Nothing is charged here'],
  [
    '4.6',
    'Who may not delete should not set lifecycle rules either',
    'Advice to who writes policies; s3:PutLifecycleConfiguration decides',
  ],
  ['6', 'Events', 'The specification shows none'],
];
