import { tagKeys } from '../../access/request-keys.ts';
import {
  type Bucket,
  type Committed,
  type CopyObjectRequest,
  type ObjectAttributes,
  TURNS,
} from '../../manifest/index.ts';
import { quoted } from '../../protocol/headers/object-headers.ts';
import { xml } from '../../protocol/xml/document.ts';
import { COPY_OBJECT_RESULT } from '../../protocol/xml/object-shapes.ts';
import { xmlDate } from '../../protocol/xml/xml-date.ts';
import { writtenOwnership } from '../acl/written-object.ts';
import { authorizedBucket, callerId, objectKey } from '../authorized-bucket.ts';
import { objectChecksumElements } from '../checksum-elements.ts';
import {
  type ResolvedSource,
  type SourceUse,
  copiedVersionHeaders,
  copySeenSource,
  requireCopyable,
  requireSourceConditions,
} from '../copy-source.ts';
import { createdVersionHeaders } from '../object-version.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { requireAction, versioned } from '../require-access.ts';
import type { S3Response } from '../../protocol/response.ts';
import { encryptionHeaders, requestedEncryption } from '../encryption.ts';
import { refuseAcceleratedCopy } from './acceleration.ts';
import { copyMetadata, directive, requestedMetadata } from './copy-metadata.ts';
import { requestedLock, requestedTags } from './new-object.ts';
import { writeConditions } from './put-object.ts';
import { requireChange } from './self-copy.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html */
export const copyObject: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  refuseAcceleratedCopy(request);
  const encryptWith = requestedEncryption({ headers: request.headers, bucket, algorithmAlone: true }, context);
  const key = objectKey(request);
  const conditions = writeConditions(request.headers);
  callerId(context);
  const metadata = requestedMetadata(request.headers);
  const replacingTags =
    directive(request.headers, 'tagging') === 'REPLACE' ? requestedTags(request, { bucket, context }) : undefined;
  // The copy gets neither the source's lock nor its ACL.
  const lock = requestedLock(request, { bucket, context });
  const ownership = writtenOwnership(request.headers, { bucket, ignoreWrite: true }, context);
  const use: SourceUse<CopyObjectRequest> = {
    judge: (source) => {
      requireSourceConditions(request.headers, source);
      requireCopyable(source.view.size);
      requireChange(request, { source, metadata });
      const { attributes, ...rest } = copyMetadata(metadata, source.view);
      const tagged = { ...attributes, ...(replacingTags ?? copiedTags(source, bucket, context)), ...lock };
      return {
        source,
        ...(encryptWith && { encryptWith }),
        conditions,
        ...ownership,
        ...rest,
        attributes: tagged,
      };
    },
    send: async (copy) => {
      const headers = { ...encryptionHeaders(encryptWith), ...copiedVersionHeaders(copy.source) };
      context.mayTakeLong(headers);
      return copied(await context.manifest.objects.copy({ bucket, key }, copy, context.call), headers);
    },
  };
  return copySeenSource(request, use, TURNS.copy, context);
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
  target: Bucket,
  context: OperationContext,
): Pick<ObjectAttributes, 'tags'> {
  const { tags } = view;
  if (tags === undefined) return {};
  const { key, versionId } = source;
  requireAction(versioned('s3:GetObjectTagging', versionId), { bucket, key, versionId, object: view }, context);
  requireAction('s3:PutObjectTagging', { bucket: target, says: tagKeys(tags) }, context);
  return { tags };
}
