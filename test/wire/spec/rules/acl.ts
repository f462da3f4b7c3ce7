import type { RuleList } from './rule-list.ts';

/** PutObjectAcl and GetObjectAcl. */
export const ACL_RULES = {
  'acl.put.canned': ['2', 'The seven canned ACLs of objects stand for the grants that S3 documents'],
  'acl.put.canned-unknown': ['S3', 'Any other name is 400 InvalidArgument'],
  'acl.put.bucket-owner': [
    '2',
    "bucket-owner-read and bucket-owner-full-control add a grant where the bucket is another account's",
  ],
  'acl.put.grants': [
    '4.2',
    'Grant headers are lists of `id`, `uri` and `emailAddress`, in quotes or not, with white space',
  ],
  'acl.put.grants-malformed': ['S3', 'What is no such list is 400 InvalidArgument naming the header'],
  'acl.put.canned-and-grants': ['4.2', 'A canned ACL together with grant headers is 400 InvalidRequest'],
  'acl.put.header-and-body': ['4.2', 'Headers together with a body are 400 UnexpectedContent'],
  'acl.put.nothing': ['S3', 'Neither is 400 MissingSecurityHeader'],
  'acl.put.body': [
    '4.2',
    'A body is an `AccessControlPolicy`; its Owner and its list may not be absent, the list may be empty',
  ],
  'acl.put.body-malformed': ['S3', 'What is no such document is 400 MalformedACLError'],
  'acl.put.grantee-forms': ['2', 'Grantees by canonical id (DisplayName ignored), by group URI, and by e-mail address'],
  'acl.put.type-child': ['2', 'A `Type` child does for the `xsi:type` attribute'],
  'acl.put.email': ['2', 'A grantee by e-mail address comes back as the canonical user it is'],
  'acl.put.email-unknown': ['S3', 'An address of nobody is 400 UnresolvableGrantByEmailAddress'],
  'acl.put.email-ambiguous': ['S3', 'An address of several accounts is 400 AmbiguousGrantByEmailAddress'],
  'acl.put.id-unknown': ['S3', 'An id of nobody, or an unknown group, is 400 InvalidArgument'],
  'acl.put.owner': ['ours', 'An Owner that is not the owner is 403: it cannot be changed'],
  'acl.put.limit': ['S3', 'More than 100 grants are 400 MalformedACLError'],
  'acl.put.permissions': ['2', 'READ, WRITE, READ_ACP, WRITE_ACP and FULL_CONTROL, each as its header says'],
  'acl.put.replaces': [
    'S3',
    'The list is replaced as a whole: nothing is added for the owner, who can always read and write it',
  ],
  'acl.put.digest': [
    '4.2',
    'Content-MD5 or a checksum is held against the body: BadDigest, InvalidDigest, and nothing changes',
  ],
  'acl.put.answer': ['4.2', '200 without body'],
  'acl.put.enforced': ['4.2', 'With BucketOwnerEnforced: 400 AccessControlListNotSupported, whatever is sent'],
  'acl.put.public-block': ['S3', 'BlockPublicAcls refuses grants to everybody: 403 AccessDenied'],
  'acl.put.keeps': ['2', 'Nothing but the ACL changes: bytes, metadata, ETag and Last-Modified stay'],
  'acl.put.permission': ['5', 'PutObjectAcl needs WRITE_ACP or to own the object'],
  'acl.get.document': ['4.3', 'Owner and grants with ids, display names, and types as `xsi:type`'],
  'acl.get.permission': ['5', 'GetObjectAcl needs READ_ACP or to own the object'],
  'acl.get.enforced': ['4.3', 'With BucketOwnerEnforced: the bucket owner with FULL_CONTROL'],
  'acl.effect.read': ['2', 'READ gives data and metadata, and not the ACL'],
  'acl.effect.full-control': ['2', 'FULL_CONTROL is READ, READ_ACP and WRITE_ACP'],
  'acl.effect.write': ['S3', 'WRITE on an object is stored without effect'],
  'acl.effect.groups': ['2', 'Groups: everybody, and everybody who signs'],
} as const satisfies RuleList;
