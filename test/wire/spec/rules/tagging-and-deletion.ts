import type { RuleList } from './rule-list.ts';

/** GetObjectTagging, DeleteObjectTagging, and what may be a tag; DeleteObject. */
export const TAGGING_AND_DELETION_RULES = {
  'tags.get': ['4.7', '`Tagging` with a `TagSet` of `Tag`s of Key and Value'],
  'tags.get.none': ['S3', 'Without tags the set is empty, never 404'],
  'tags.delete': ['4.8', 'The whole set goes: 204 without body'],
  'tags.delete.none': ['S3', 'Also when there was none'],
  'tags.delete.keeps': ['4.8', 'Nothing but the tags changes'],
  'tags.delete.version-header': [
    'ours',
    'The version is said in `x-amz-version-id`, not in the other spelling of the sample',
  ],
  'tags.delete.headers': ['4.8', 'Of further headers only the expected owner counts'],
  'tags.count': ['ours', 'At most 10 tags; 11 are 400 InvalidTag'],
  'tags.key': ['S3', 'A key has 1 to 128 characters, and is not reserved (`aws:`)'],
  'tags.value': ['S3', 'A value has up to 256 characters, also none'],
  'tags.charset': ['S3', 'Letters, digits and spaces of any script, and `_ . : / = + - @`; others are 400 InvalidTag'],
  'tags.duplicate': ['S3', 'The same key twice is 400 InvalidTag, in the header 400 InvalidArgument'],
  'tags.header': [
    '4.5',
    '`x-amz-tagging` is query-encoded; `+` is a space, no `=` an empty value, empty segments are skipped',
  ],
  'tags.header.malformed': ['S3', 'What cannot be decoded, or an empty key, is 400 InvalidArgument naming the header'],

  'delete.never': ['3', 'Without versioning the object goes: 204 without version headers'],
  'delete.missing': ['4.6', 'What is not there is deleted successfully, any number of times'],
  'delete.null-version': ['3', '`versionId=null` is the same where there never was versioning'],
  'delete.if-match': ['S3', 'If-Match with another ETag is 412, with `*` or its own it goes; of a missing object 204'],
  'delete.directory-conditions': [
    'S3',
    'Conditions on size and time are for directory buckets: 501 NotImplemented, and nothing is deleted',
  ],
  'delete.nothing-else': ['4.6', 'Nothing but the key itself goes'],
} as const satisfies RuleList;
