import type { RuleList } from './rule-list.ts';

/** What CopyObject makes of its source. */
export const COPY_OBJECT_RULES = {
  'copy.body': ['4.5', '200 with `CopyObjectResult` of ETag and LastModified, nothing else'],
  'copy.last-modified': ['4.5', 'LastModified is the time of the copy, as GetObject says it'],
  'copy.etag': [
    'ours',
    'The ETag is that of the source, since the content is; also where the source was made of parts (S3 computes a new one there)',
  ],
  'copy.metadata.copy': ['4.5', 'COPY, the default, keeps user metadata, Cache-Control, Content-* and Expires'],
  'copy.metadata.any': [
    '4.5',
    "Also as much as S3 allows, in any script; and it is the copy's own, whatever becomes of the source",
  ],
  'copy.metadata.ignored': ['S3', 'Metadata in the request of a COPY is ignored'],
  'copy.metadata.replace': ['4.5', 'REPLACE takes metadata from the request, and nothing from the source'],
  'copy.metadata.default-type': ['S3', 'REPLACE without Content-Type is `binary/octet-stream`'],
  'copy.metadata.unknown': ['S3', 'Any other directive is 400 InvalidArgument, before anything is looked up'],
  'copy.tags.copy': ['4.5', 'COPY, the default, keeps the tags; `x-amz-tagging` is ignored, even a wrong one'],
  'copy.tags.replace': ['4.5', 'REPLACE takes `x-amz-tagging`; without it there are none'],
  'copy.tags.permission': [
    'S3',
    'Copying tags takes the permission to read them: 403 without it, unless they are replaced',
  ],
  'copy.tags.unknown': ['S3', 'Any other tagging directive is 400 InvalidArgument'],
  'copy.never.acl': ['2', 'The ACL is not copied: a copy is private to who asked for it'],
  'copy.never.class': ['S3', 'The storage class is not copied: STANDARD, unless the request names one'],
  'copy.never.redirect': ['4.5', 'The website redirect is not copied by either directive; the request has to say it'],
  'copy.class': ['2', 'The nine storage classes of the specification are taken and shown again'],
  'copy.class.unknown': ['ours', 'Others are 400 InvalidStorageClass, before anything is looked up'],
  'copy.redirect.wrong': ['S3', 'A redirect that is neither a path nor a http(s) URL is 400 InvalidRedirectLocation'],
  'copy.acl': ['4.5', '`x-amz-acl` or grant headers give the copy another ACL'],
  'copy.acl.grant-write': ['4.5', '`x-amz-grant-write` is not part of CopyObject: ignored'],
  'copy.acl.wrong': ['4.2', 'Both at once, or an ACL that is none, copy nothing'],
  'copy.acl.enforced': [
    '4.5',
    'With BucketOwnerEnforced only no ACL or bucket-owner-full-control is accepted, and the bucket owner owns the copy',
  ],
  'copy.encryption': ['4.5', '`x-amz-server-side-encryption: AES256` is accepted; answers say AES256 in any case'],
  'copy.encryption.kms': [
    '4.5',
    '`aws:kms`, a key id, a context, bucket keys without `kmsKeys`: 501 naming the header, before data is touched',
  ],
  'copy.encryption.unknown': ['S3', 'Any other method is 400 InvalidArgument'],
  'copy.customer-key': [
    'S3',
    'Customer keys and their MD5, of source or copy, over http: 400 InvalidRequest that does not repeat them',
  ],
  'copy.customer-algorithm': [
    'ours',
    'The algorithm alone is accepted when it is AES256, not echoed, and changes nothing; others are 400 InvalidEncryptionAlgorithmError',
  ],
  'copy.self': ['S3', 'Onto itself, without changing anything, is 400 InvalidRequest'],
  'copy.self.changes': [
    'S3',
    'REPLACE, a storage class (also the same), encryption, a redirect, or an encryption that was set on the bucket make it a change',
  ],
  'copy.self.no-change': ['S3', 'Another ACL or other tags do not'],
  'copy.self.version': [
    'S3',
    'Naming a version by its id makes it a change, whichever it is; an older version is restored by it',
  ],
  'copy.self.conditions': ['S3', 'Conditions on the source are judged first'],
  'copy.destination-if': ['S3', 'If-Match and If-None-Match are conditions on the destination: 412, 404'],
  'copy.checksum': [
    'S3',
    'The checksum of the source is kept, or computed anew for `x-amz-checksum-algorithm`; unknown ones are 400 InvalidRequest',
  ],
  'copy.checksum.unsaid': ['4.1', 'Where nobody declared one, no checksum stands in the results of copies'],
  'copy.chunked': ['4.5', 'On HTTP/1.1 the answer is chunk-encoded, without length'],
  'copy.error.early': ['4.5', 'What fails before the copy starts is an ordinary error answer'],
  'copy.error.late': ['4.5', 'What fails after 200 was sent is an `Error` in the body'],
  'copy.keep-alive': ['S3', 'While a copy takes long: 200, the prolog, then white space, then the result'],
  'copy.keep-alive.version': [
    'ours',
    'An answer that began before the new version had its id does not name it; that of the source it does',
  ],
  'copy.atomic': ['4.5', 'A copy that fails leaves what was at the destination as it was'],
  'copy.size': ['8', '5 GB are copied in a single action'],
  'copy.acceleration': ['4.5', 'Through a transfer-acceleration endpoint it is 400 InvalidRequest'],
  'copy.permission': ['4.5', 'The caller needs write access to the destination bucket'],
  'copy.expiration': ['4.5', '`x-amz-expiration` comes if a lifecycle rule of the bucket expires the copy'],
} as const satisfies RuleList;
