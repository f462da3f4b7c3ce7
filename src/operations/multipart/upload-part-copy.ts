import { invalidArgument, S3Error } from '../../errors/s3-error.ts';
import { parseCopySource } from '../../protocol/copy-source.ts';
import { quoted } from '../../protocol/headers/object-headers.ts';
import type { HeaderReader } from '../../protocol/request.ts';
import { xml } from '../../protocol/xml/document.ts';
import { COPY_PART_RESULT } from '../../protocol/xml/multipart-shapes.ts';
import { xmlDate } from '../../protocol/xml/xml-date.ts';
import { authorizedForPart, heedingUpload } from './authorized-upload.ts';
import { checksumElements } from '../answer-values.ts';
import {
  copiedVersionHeaders,
  judgedSource,
  requireCopyable,
  requireSourceConditions,
  unlessMoved,
} from '../copy-source.ts';
import type { Operation, OperationSettings } from '../operation.ts';
import { AGAIN, type KeepApart, inTurns, requirePartKey, TURNS } from '../../manifest/index.ts';
import { describeEncryption, partEncryption, requireOffered, shownKey } from '../encryption.ts';
import { withinQuota } from '../quota.ts';
import { requestedPartNumber, refuseBody, refuseVersionId, uploadTarget } from './upload-request.ts';

const RANGE = 'x-amz-copy-source-range';
const CUSTOMER_ALGORITHM = 'x-amz-server-side-encryption-customer-algorithm';
/** 5 MiB: ranges of sources up to this size are not copied, unless a setting allows it. */
const SMALL_SOURCE = 5_242_880;

interface CopyRange {
  readonly first: number;
  readonly last: number;
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPartCopy.html */
export const uploadPartCopy: Operation = async (request, context) => {
  const { bucket } = context;
  requireOffered(request.headers, bucket);
  const shown = shownKey({ headers: request.headers, algorithmAlone: true }, context);
  refuseVersionId(request);
  const number = requestedPartNumber(request);
  await refuseBody(request);
  parseCopySource(request.headers.get('x-amz-copy-source') ?? '');
  const wanted = parseCopyRange(request.headers);
  const { uploads } = context.manifest;
  const target = uploadTarget(request, bucket);
  const upload = await authorizedForPart(target, context);
  requirePartKey(upload.encryption, shown);
  const keepApart = partEncryption(upload.encryption, shown, bucket);

  const copying = inTurns(TURNS.copyPart, async (turn) => {
    const judged = await judgedSource(request, turn, context, (source) => {
      const range = wanted && requireInside(wanted, source.view.size, context.settings);
      requireSourceConditions(request.headers, source);
      requireCopyable(range === undefined ? source.view.size : range.last - range.first + 1);
      return { number, source, ...(range && { range }), ...(keepApart && { keepApart }) };
    });
    const { copy } = judged;
    const headers = { ...responseHeaders(request.headers, keepApart), ...copiedVersionHeaders(copy.source) };
    const { range, source } = copy;
    const bytes = range === undefined ? source.view.size : range.last - range.first + 1;
    const part = await withinQuota({ bytes, objects: 0 }, context, async () => {
      context.mayTakeLong(headers);
      return unlessMoved(uploads.copyPart(upload, copy, context.call), judged, context);
    });
    if (part === AGAIN) return AGAIN;
    const value = { LastModified: xmlDate(part.mtime), ETag: quoted(part.etag), ...checksumElements(part.checksum) };
    return { status: 200, headers, body: xml(COPY_PART_RESULT, value) };
  });
  return heedingUpload(target, copying, context);
};

function responseHeaders(headers: HeaderReader, keepApart: KeepApart | undefined): Record<string, string> {
  const algorithm = headers.get(CUSTOMER_ALGORITHM);
  return { ...describeEncryption(keepApart), ...(algorithm !== undefined && { [CUSTOMER_ALGORITHM]: algorithm }) };
}

/** Exactly `bytes=<first>-<last>`. @throws S3Error InvalidArgument */
function parseCopyRange(headers: HeaderReader): CopyRange | undefined {
  const value = headers.get(RANGE);
  if (value === undefined) return undefined;
  const match = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(value);
  const range = { first: Number(match?.[1] ?? NaN), last: Number(match?.[2] ?? NaN) };
  if (range.first <= range.last) return range;
  throw invalidArgument(
    RANGE,
    value,
    `The ${RANGE} value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy`,
  );
}

/** @throws S3Error InvalidRequest, InvalidRange */
function requireInside(range: CopyRange, size: number, { smallRangeCopy }: OperationSettings): CopyRange {
  if (range.first >= size) {
    throw new S3Error('InvalidRequest', { message: 'The specified copy range is invalid for the source object size' });
  }
  if (range.last >= size) {
    throw new S3Error('InvalidRange', {
      extra: { RangeRequested: `bytes=${range.first}-${range.last}`, ActualObjectSize: size },
    });
  }
  if (size <= SMALL_SOURCE && !smallRangeCopy) {
    throw new S3Error('InvalidRequest', {
      message: 'The specified copy source is not supported as a byte-range copy source',
    });
  }
  return range;
}
