import type { RuleList } from './rule-list.ts';

/** Rules of more than one operation. */
export const COMMON_RULES = {
  'common.virtual-host': [
    '4',
    'The bucket stands in the host, also in the form with the region; path style works as well',
  ],
  'common.key': [
    '4',
    'A key has at least one character: without one, a request is about the bucket or refused, and touches no object',
  ],
  'common.payer.requester': ['4', '`x-amz-request-payer: requester` is accepted; who owns the bucket need not send it'],
  'common.payer.other': [
    'ours',
    'Any other value of `x-amz-request-payer` is 400 InvalidArgument: only one is defined',
  ],
  'common.payer.ignored': [
    '4.8',
    'DeleteObjectTagging knows no `x-amz-request-payer`: it is ignored there, whatever it says',
  ],
  'common.charged': [
    '4',
    '`x-amz-request-charged` comes when the requester was charged. No bucket can be made to do so, so it never comes',
  ],
  'common.owner.match': ['4', '`x-amz-expected-bucket-owner` with the account of the owner changes nothing'],
  'common.owner.mismatch': ['4', 'Any other account id, also what is none, is 403 AccessDenied, and nothing happens'],
  'common.source-owner': [
    '5',
    '`x-amz-source-expected-bucket-owner` is held against the owner of the source bucket: 403 on any mismatch',
  ],
  'common.auth.required': ['5', 'Without a signature nothing is allowed that no ACL grants everybody'],
  'common.auth.copy': [
    '5',
    'Copies are never anonymous, whatever ACLs say; nor are CreateMultipartUpload and PutObjectAcl',
  ],
  'common.auth.signed': [
    '5',
    'Every `x-amz-` header has to be signed: 403 AccessDenied naming those that are not (`HeadersNotSigned`)',
  ],
  'common.auth.query': ['ours', 'A presigned URL is as good as an Authorization header'],
  'common.ids': ['7', 'Every answer has `x-amz-request-id` and `x-amz-id-2`'],
  'common.error-body': [
    'S3',
    'Errors are `Error` documents with code, message, resource and the ids, without namespace',
  ],
  'common.xml': ['2', 'Documents are `application/xml` in the namespace of 2006-03-01'],
  'common.empty': [
    '4',
    'Where an operation answers no body there is none: 204 without length and type, 200 with `Content-Length: 0`',
  ],
  'common.x-id': ['S3', 'Query parameters nobody knows, as the `x-id` of SDKs, change nothing'],
  'common.no-bucket': ['S3', 'In a bucket that does not exist everything is 404 NoSuchBucket'],
  'common.no-key': ['S3', 'What reads or changes an object that does not exist is 404 NoSuchKey'],
  'common.hidden': ['S3', 'Who may not list the bucket is told 403 instead of 404'],
  'common.version.empty': ['S3', 'An empty `versionId` is 400 InvalidArgument'],
  'common.version.odd': [
    'S3',
    'In a bucket that never had versioning any `versionId` but `null` is 400 InvalidArgument, and nothing happens',
  ],
  'common.version.null': ['3', '`null` names the object of a bucket that never had versioning'],
  'common.version.unsaid': ['3', 'Such a bucket is never told version ids'],
  'common.etag': ['2', 'The ETag is that of the content: ACL and tags change neither it nor Last-Modified'],
  'common.encryption': [
    '1',
    'Copies are encrypted with keys of the service, always: `x-amz-server-side-encryption: AES256`',
  ],
  'common.conflict': ['S3', 'Two sub-resources that contradict each other are 400 InvalidArgument'],
  'common.permission.tags': ['5', 'Reading and deleting tags is for the owner of the bucket'],
  'common.permission.delete': ['5', 'Deleting takes write access to the bucket'],
} as const satisfies RuleList;
