import { ACL_RULES } from './rules/acl.ts';
import { COMMON_RULES } from './rules/common.ts';
import { COPY_OBJECT_RULES } from './rules/copy-object.ts';
import { COPY_SOURCE_RULES } from './rules/copy-source.ts';
import { TAGGING_AND_DELETION_RULES } from './rules/tagging-and-deletion.ts';
import { MULTIPART_RULES } from './rules/multipart.ts';

/**
 * What the nine operations of the specification promise (UploadPartCopy, PutObjectAcl, GetObjectAcl, ListParts, CopyObject,
 * DeleteObject, GetObjectTagging, DeleteObjectTagging, AbortMultipartUpload), sentence by sentence. Each rule has a test: docs/rules.md.
 */
export const RULES = {
  ...COMMON_RULES,
  ...COPY_SOURCE_RULES,
  ...COPY_OBJECT_RULES,
  ...MULTIPART_RULES,
  ...ACL_RULES,
  ...TAGGING_AND_DELETION_RULES,
};

export type RuleId = keyof typeof RULES;
