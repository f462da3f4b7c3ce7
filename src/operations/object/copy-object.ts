import { S3Error } from '../../errors/s3-error.ts';
import { tagKeys } from '../../access/request-keys.ts';
import { AGAIN, type Committed, inTurns, type ObjectAttributes, TURNS } from '../../manifest/index.ts';
import { quoted } from '../../protocol/headers/object-headers.ts';
import { expirationHeader } from '../../protocol/lifecycle/expiration-headers.ts';
import { xml } from '../../protocol/xml/document.ts';
import { COPY_OBJECT_RESULT } from '../../protocol/xml/object-shapes.ts';
import { xmlDate } from '../../protocol/xml/xml-date.ts';
import { writtenOwnership } from '../acl/written-object.ts';
import { objectKey } from '../named-bucket.ts';
import { objectChecksumElements } from '../answer-values.ts';
import {
  type ResolvedSource,
  copiedVersionHeaders,
  judgedSource,
  requireCopyable,
  requireSourceConditions,
  unlessMoved,
} from '../copy-source.ts';
import { createdVersionHeaders } from '../object-version.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { requireAlso } from '../permission.ts';
import { withinQuota } from '../quota.ts';
import type { S3Request } from '../../protocol/request.ts';
import type { S3Response } from '../../protocol/response.ts';
import { describeEncryption, requestedEncryption } from '../encryption.ts';
import { type RequestedMetadata, copyMetadata, directive, requestedMetadata } from './copy-metadata.ts';
import { requestedLock, requestedTags } from './new-object.ts';
import { keptApart } from './storage-class.ts';
import { writeConditions } from './put-object.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html */
export const copyObject: Operation = async (request, context) => {
  const { bucket } = context;
  refuseAcceleratedCopy(request);
  const encryptWith = requestedEncryption({ headers: request.headers, bucket, algorithmAlone: true }, context);
  const key = objectKey(request);
  const conditions = writeConditions(request.headers);
  const metadata = requestedMetadata(request.headers, bucket);
  const apart = keptApart(metadata.placement, encryptWith, bucket);
  const replacingTags =
    directive(request.headers, 'tagging') === 'REPLACE' ? requestedTags(request, context) : undefined;
  // The copy gets neither the source's lock nor its ACL.
  const lock = requestedLock(request, context);
  const ownership = writtenOwnership(request.headers, { ignoreWrite: true }, context);
  return inTurns(TURNS.copy, async (turn) => {
    const judged = await judgedSource(request, turn, context, (source) => {
      requireSourceConditions(request.headers, source);
      requireCopyable(source.view.size);
      requireChange(request, { source, metadata });
      const { attributes, ...rest } = copyMetadata(metadata, source.view);
      return {
        source,
        ...(apart && { keepApart: apart }),
        conditions,
        ...ownership,
        ...rest,
        attributes: { ...attributes, ...(replacingTags ?? copiedTags(source, context)), ...lock },
      };
    });
    const { copy } = judged;
    const headers = { ...describeEncryption(encryptWith), ...copiedVersionHeaders(copy.source) };
    const { size } = copy.source.view;
    const committed = await withinQuota({ bytes: size, objects: 1 }, context, async () => {
      context.mayTakeLong(headers);
      return unlessMoved(context.manifest.objects.copy({ bucket, key }, copy, context.call), judged, context);
    });
    if (committed === AGAIN) return AGAIN;
    const { mtime } = committed;
    const made = { key, mtime, size, tags: copy.attributes.tags };
    return copied(committed, { ...headers, ...expirationHeader(bucket.settings.lifecycle, made) });
  });
};

function copied(committed: Committed, headers: Readonly<Record<string, string>>): S3Response {
  const value = {
    LastModified: xmlDate(committed.mtime),
    ETag: quoted(committed.etag),
    ...objectChecksumElements(committed.checksum),
  };
  return {
    status: 200,
    headers: { ...headers, ...createdVersionHeaders(committed.versionId) },
    body: xml(COPY_OBJECT_RESULT, value),
  };
}

/**
 * Reads the source's tags for the copy. Reading and writing tags take permissions of their own. @throws S3Error
 * AccessDenied
 */
function copiedTags(
  { bucket, source, view }: ResolvedSource,
  context: OperationContext,
): Pick<ObjectAttributes, 'tags'> {
  const { tags } = view;
  if (tags === undefined) return {};
  const { key, versionId } = source;
  requireAlso('sourceTags', { bucket, key, versionId, object: view }, context);
  requireAlso('tags', { bucket: context.bucket, says: tagKeys(tags) }, context);
  return { tags };
}

const ENDPOINT = 's3-accelerate.';

/**
 * Refuses a copy through an acceleration endpoint, as S3 refuses copies between regions there. @throws S3Error
 * InvalidRequest
 */
function refuseAcceleratedCopy({ host, address }: S3Request): void {
  const endpoint = address.virtualHost ? host.slice((address.bucket ?? '').length + 1) : host;
  if (!endpoint.toLowerCase().startsWith(ENDPOINT)) return;
  throw new S3Error('InvalidRequest', { message: 'Copies are not supported through a transfer acceleration endpoint' });
}

/** Headers that make a copy of an object onto itself a change, whatever they say. */
const CHANGES = [
  'x-amz-storage-class',
  'x-amz-server-side-encryption',
  'x-amz-server-side-encryption-customer-key',
  'x-amz-copy-source-server-side-encryption-customer-key',
  'x-amz-website-redirect-location',
];

/**
 * A copy of an object onto itself must change something. S3 takes it for a change that the source's version is named,
 * whichever it is: an older one is restored by it. The same goes for an encryption of the bucket that somebody set,
 * whatever it says: so what was stored before is encrypted by it.
 * @throws S3Error InvalidRequest
 */
function requireChange(
  request: S3Request,
  { source, metadata }: { readonly source: ResolvedSource; readonly metadata: RequestedMetadata },
): void {
  const { bucket, key, versionId } = source.source;
  if (bucket !== request.address.bucket || key !== request.address.key) return;
  if (versionId !== undefined || source.bucket.settings.encryption !== undefined) return;
  if (metadata.replacement !== undefined || CHANGES.some((name) => request.headers.get(name) !== undefined)) return;
  throw new S3Error('InvalidRequest', {
    message:
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
  });
}
