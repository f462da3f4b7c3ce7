import { checksumHeader } from '../../protocol/checksums/algorithms.ts';
import { quoted } from '../../protocol/headers/object-headers.ts';
import { authorizedForPart, bucketOfUpload } from './authorized-upload.ts';
import type { Operation } from '../operation.ts';
import { requirePartKey } from '../../manifest/heads/customer-keys.ts';
import { encryptionHeaders, partEncryption, requireOffered, shownKey } from '../encryption.ts';
import { requirePartChecksum } from './upload-checksum.ts';
import { MAX_PART_SIZE, partNumberOf, refuseVersionId, uploadTarget } from './upload-request.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPart.html */
export const uploadPart: Operation = async (request, context) => {
  const bucket = await bucketOfUpload(request, context);
  requireOffered(request.headers, bucket);
  const shown = shownKey({ headers: request.headers }, context);
  refuseVersionId(request);
  const number = partNumberOf(request);
  const { uploads } = context.manifest;
  // Looked up before the body is read: a client with a wrong upload id need not send it.
  const upload = await authorizedForPart(uploadTarget(request, bucket), context);
  requirePartKey(upload.encryption, shown);
  requirePartChecksum(upload.checksum, request.headers);
  const encryptWith = partEncryption(upload.encryption, shown, bucket);

  const body = await request.body.open({
    holdBytes: context.settings.holdBytes,
    maxSize: MAX_PART_SIZE,
    wantMd5: true,
    ...(upload.checksum !== undefined && { wantChecksum: upload.checksum.algorithm }),
  });
  const bytes = body.kind === 'held' ? body.bytes : { size: body.size, stream: body.stream };
  const { etag, checksum } = await uploads.putPart(
    upload,
    { number, body: bytes, facts: body.facts, encryptWith },
    context.call,
  );
  const checksums = checksum === undefined ? {} : { [checksumHeader(checksum.algorithm)]: checksum.value };
  return { status: 200, headers: { etag: quoted(etag), ...encryptionHeaders(encryptWith), ...checksums } };
};
