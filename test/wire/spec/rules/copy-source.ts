import type { RuleList } from './rule-list.ts';

/** The source of CopyObject and UploadPartCopy. */
export const COPY_SOURCE_RULES = {
  'source.form': ['4.1', '`<bucket>/<key>`, with or without a slash in front'],
  'source.encoded': [
    '4.1',
    'It is URL-encoded and decoded once: also slashes, question marks, percent signs and UTF-8; `+` is a space',
  ],
  'source.raw': ['S3', 'Double slashes and dot segments belong to the key'],
  'source.empty': ['S3', 'Without bucket and key, or with an empty header: 400 InvalidArgument naming the header'],
  'source.bucket-name': ['S3', 'A bucket name that cannot be one is 400 InvalidArgument'],
  'source.encoding': ['S3', 'An escape that is none is 400 InvalidArgument'],
  'source.version': ['4.1', '`?versionId=` behind the key names a version; the last one that is not encoded counts'],
  'source.version.odd': ['S3', 'An empty or impossible version id is 400 InvalidArgument in both operations'],
  'source.access-point': [
    'ours',
    'The ARN of an access point is understood, and 501 NotImplemented: there are none here',
  ],
  'source.no-bucket': ['S3', 'A missing source bucket is 404 NoSuchBucket'],
  'source.no-key': ['S3', 'A missing source object is 404 NoSuchKey'],
  'source.permission': ['4.5', 'The caller needs to read the source; else 403, whether or not it exists'],
  'source.archived': ['2', 'A source in GLACIER (or DEEP_ARCHIVE) must be restored first: 403 InvalidObjectState'],
  'source.instant': ['S3', 'GLACIER_IR and all other classes can be copied at once'],
  'source.misplaced': ['S3', 'The header on any other operation is 400 InvalidArgument'],
  'source.too-large': [
    '8',
    'Up to 5 GB are copied at a time; above it 400 InvalidRequest with the text that clients look for',
  ],
  'source.if.pair-match': ['4.1', 'If-Match true and If-Unmodified-Since false: 200 and copied'],
  'source.if.pair-none-match': ['4.1', 'If-None-Match false and If-Modified-Since true: 412'],
  'source.if.table': [
    'S3',
    'Every other combination of the four conditions, 81 in all: ETag conditions decide before the date beside them',
  ],
  'source.if.failed': [
    'S3',
    'A condition that fails is 412 PreconditionFailed, never 304, and names itself; nothing is copied',
  ],
  'source.if.etag': ['S3', 'ETags match with or without quotes; `*` matches any'],
  'source.if.date': [
    'S3',
    'Dates are compared by the second; HTTP dates in their three forms and ISO 8601 are understood',
  ],
  'source.if.odd-date': ['ours', 'What is no date is ignored'],
  'source.if.future': ['S3', 'If-Modified-Since in the future is ignored'],
} as const satisfies RuleList;
