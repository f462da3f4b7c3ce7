import { creationHeaders } from '../../access/creation-headers.ts';
import { abortHeaders } from '../../protocol/lifecycle/expiration-headers.ts';
import { xml } from '../../protocol/xml/document.ts';
import { INITIATE_MULTIPART_UPLOAD_RESULT } from '../../protocol/xml/multipart-shapes.ts';
import { writtenOwnership } from '../acl/written-object.ts';
import { objectKey } from '../named-bucket.ts';
import { newObjectAttributes } from '../object/new-object.ts';
import { keptApart } from '../object/storage-class.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { encryptedBy, type Initiator } from '../../manifest/index.ts';
import { describeEncryption, requestedEncryption } from '../encryption.ts';
import { createdChecksum } from './upload-checksum.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html */
export const createMultipartUpload: Operation = async (request, context) => {
  const { bucket } = context;
  const encryptWith = requestedEncryption({ headers: request.headers, bucket }, context);
  const key = objectKey(request);
  const attributes = newObjectAttributes(request, context);
  const checksum = createdChecksum(request.headers);
  const { storageClass } = attributes;
  const apart = keptApart(attributes, encryptWith, bucket);
  const ownership = writtenOwnership(request.headers, {}, context);
  const initiator = initiatorOf(ownership.ownerId, context);

  const said = creationHeaders(request.headers);

  const record = {
    attributes,
    ...ownership,
    ...(said !== undefined && { said }),
    ...(initiator !== undefined && { initiator }),
    ...(storageClass !== undefined && { storageClass }),
    ...(checksum !== undefined && { checksum }),
    ...(apart !== undefined && { encryption: encryptedBy(apart) }),
  };
  const { uploadId, initiatedAt } = await context.manifest.uploads.create({ bucket, key }, record, context.call);
  context.call.facts.note('aws.s3.upload_id', uploadId);
  const headers = {
    ...describeEncryption(encryptWith),
    'x-amz-checksum-algorithm': checksum?.algorithm,
    'x-amz-checksum-type': checksum?.type,
    ...abortHeaders(bucket.settings.lifecycle, { key, initiatedAt }),
  };
  return {
    status: 200,
    headers,
    body: xml(INITIATE_MULTIPART_UPLOAD_RESULT, { Bucket: bucket.name, Key: key, UploadId: uploadId }),
  };
};

/**
 * A user is shown as initiator, with the user's account as owner. An account is shown as initiator only if somebody
 * else owns the object.
 */
function initiatorOf(ownerId: string, { principal }: OperationContext): Initiator | undefined {
  if (principal.kind !== 'account') return undefined;
  const { account, user } = principal;
  if (user !== undefined) return { id: user.arn, displayName: user.name };
  return account.canonicalId === ownerId ? undefined : { id: account.canonicalId, displayName: account.displayName };
}
