import type { RuleList } from './rule-list.ts';

/** UploadPartCopy beyond its source, ListParts, AbortMultipartUpload. */
export const MULTIPART_RULES = {
  'part-copy.number': ['4.1', '`partNumber` is an integer from 1 to 10,000, else 400 InvalidArgument'],
  'part-copy.upload': ['7', 'An upload that is unknown, of another key, aborted or completed is 404 NoSuchUpload'],
  'part-copy.without-upload': [
    '4.1',
    'Both query parameters are needed: without `uploadId` 400, without `partNumber` 405',
  ],
  'part-copy.body': ['4.1', 'There is no body: one that is sent is 400 InvalidRequest'],
  'part-copy.version-id': ['S3', 'The destination has no version: `versionId` is 400 InvalidArgument'],
  'part-copy.whole': ['4.1', 'Without a range all of the source is copied, also nothing'],
  'part-copy.range': ['4.1', '`bytes=first-last`, zero-based, both inclusive'],
  'part-copy.range.form': ['S3', 'Anything else is 400 InvalidArgument naming header and value'],
  'part-copy.range.outside': ['S3', 'A first byte behind the end is 400 InvalidRequest'],
  'part-copy.range.beyond': ['ours', 'A last byte behind the end is 416 InvalidRange'],
  'part-copy.range.small': [
    '4.1',
    'Sources of up to 5 MB take no range: 400 InvalidRequest, after the errors of its form',
  ],
  'part-copy.range.too-large': ['8', 'A range of more than 5 GB is refused like a source of that size'],
  'part-copy.overwrite': ['S3', 'The same number again replaces the part'],
  'part-copy.answer': [
    '4.1',
    '200 with `CopyPartResult` of LastModified and ETag, and AES256; a checksum only for an upload that was begun with one',
  ],
  'part-copy.etag': ['4.1', 'The ETag completes the upload; of a whole object it is the MD5'],
  'part-copy.encryption': [
    '4.1',
    'Customer keys over http are 400 InvalidRequest; a customer algorithm, if it is AES256, is echoed',
  ],
  'part-copy.ignored': ['S3', 'ACL, metadata, tags and storage class in the request are ignored: the upload has them'],
  'part-copy.order': ['ours', 'Order: part number, form of the source, upload, source, range, conditions'],
  'part-copy.slow': ['S3', 'White space, late errors and chunks as CopyObject'],
  'part-copy.object-size': ['8', 'An object has up to 5 TB: completing a larger one is 400 EntityTooLarge'],
  'part-copy.large': ['1', 'Objects above 5 GB are copied range by range'],

  'list-parts.document': [
    '4.4',
    '`ListPartsResult` has its elements in the order of the specification; times and sizes in their forms',
  ],
  'list-parts.empty': ['2', 'An upload without parts lists none'],
  'list-parts.ascending': ['4.4', 'Parts come in ascending order of their numbers'],
  'list-parts.paging': [
    '4.4',
    'When there are more: IsTruncated, and NextPartNumberMarker is the last listed; passed on, it gives the rest',
  ],
  'list-parts.marker': [
    '4.4',
    'Only higher numbers than `part-number-marker` are listed; behind the last there are none',
  ],
  'list-parts.next-marker': [
    'S3',
    'NextPartNumberMarker is always there: the last listed number, 0 when there is none',
  ],
  'list-parts.max': ['4.4', '1,000 parts by default and at most: larger numbers count as 1,000'],
  'list-parts.max.zero': ['ours', '0 lists nothing and is not truncated'],
  'list-parts.max.odd': ['S3', 'No integer, too large for 32 bits, or negative: 400 InvalidArgument'],
  'list-parts.upload': ['7', 'An unknown, aborted or completed upload, or one of another key, is 404 NoSuchUpload'],
  'list-parts.owner': [
    '2',
    'An account is Initiator and Owner alike; a user is Initiator by its ARN, its account the Owner',
  ],
  'list-parts.class': ['2', 'StorageClass is that of the upload, STANDARD by default'],
  'list-parts.abort-date': [
    '4.4',
    '`x-amz-abort-date` and `x-amz-abort-rule-id` come if a lifecycle rule of the bucket aborts the upload',
  ],
  'list-parts.customer-algorithm': [
    '4.4',
    'The customer algorithm is ignored, and so are the key variants: nothing that is listed is encrypted',
  ],
  'list-parts.bucket': ['4.4', '`Bucket` is the name of the bucket'],

  'abort.done': [
    '4.9',
    '204 without body; no part can be listed, uploaded or copied with the id afterwards, and it cannot be completed',
  ],
  'abort.frees': ['4.9', 'What the parts took is freed, and no object is touched'],
  'abort.unknown': ['7', 'An unknown, completed or aborted upload, or one of another key, is 404 NoSuchUpload'],
  'abort.in-flight': ['3', 'A part under way when the upload is aborted is discarded and told NoSuchUpload'],
  'abort.repeat': ['3', 'While something is left over an abort may be repeated: 204; when all is freed 404'],
  'abort.left-over': ['4.4', 'ListParts is how to see that all is freed: 404 then, since no part can be left'],
  'abort.initiated-time': ['S3', '`x-amz-if-match-initiated-time` must be the time the upload was initiated, else 412'],
} as const satisfies RuleList;
