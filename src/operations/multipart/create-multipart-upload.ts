import { parseObjectAttributes } from '../../protocol/headers/object-attributes.ts';
import { ENCRYPTED } from '../../protocol/headers/object-headers.ts';
import { xml } from '../../protocol/xml/document.ts';
import { INITIATE_MULTIPART_UPLOAD_RESULT } from '../../protocol/xml/multipart-shapes.ts';
import { headerAcl } from '../acl/requested-acl.ts';
import { authorizedBucket, callerId, objectKey } from '../authorized-bucket.ts';
import { requestedTags } from '../object/requested-tags.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { refuseUnsupported } from '../unsupported-headers.ts';
import { createdChecksum } from './upload-checksum.ts';
import type { Initiator } from '../../manifest/uploads/upload-record.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html */
export const createMultipartUpload: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  refuseUnsupported(request.headers);
  const key = objectKey(request);
  const attributes = { ...parseObjectAttributes(request.headers), ...requestedTags(request, { bucket, context }) };
  const checksum = createdChecksum(request.headers);
  const initiator = initiatorOf(context);
  const { storageClass } = attributes;
  const ownerId = callerId(context);
  const acl = headerAcl(request.headers, { subject: 'object', ownerId, bucketOwnerId: bucket.ownerId }, context.accounts);

  const record = {
    attributes,
    ownerId,
    ...(acl !== undefined && { acl }),
    ...(initiator !== undefined && { initiator }),
    ...(storageClass !== undefined && { storageClass }),
    ...(checksum !== undefined && { checksum }),
  };
  const { uploadId } = await context.manifest.uploads.create(bucket, key, record, context.call);
  const headers = { ...ENCRYPTED, 'x-amz-checksum-algorithm': checksum?.algorithm, 'x-amz-checksum-type': checksum?.type };
  return { status: 200, headers, body: xml(INITIATE_MULTIPART_UPLOAD_RESULT, { Bucket: bucket.name, Key: key, UploadId: uploadId }) };
};

/** A user shows up as initiator, the account it belongs to as owner. */
function initiatorOf({ principal }: OperationContext): Initiator | undefined {
  if (principal.kind !== 'account' || principal.user === undefined) return undefined;
  return { id: principal.user.arn, displayName: principal.user.name };
}
