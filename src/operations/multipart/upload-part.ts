import { checksumHeader } from '../../protocol/checksums/algorithms.ts';
import { quoted } from '../../protocol/headers/object-headers.ts';
import { authorizedForPart, heedingUpload } from './authorized-upload.ts';
import { judgedByBackend } from '../failure.ts';
import type { Operation, OperationContext } from '../operation.ts';
import {
  type AdmittedWrite,
  type KeepApart,
  type PartRecord,
  requirePartKey,
  type Upload,
} from '../../manifest/index.ts';
import type { S3Request } from '../../protocol/request.ts';
import { describeEncryption, partEncryption, requireOffered, shownKey } from '../encryption.ts';
import { withinQuota } from '../quota.ts';
import { requirePartChecksum } from './upload-checksum.ts';
import { MAX_PART_SIZE, requestedPartNumber, refuseVersionId, uploadTarget } from './upload-request.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPart.html */
export const uploadPart: Operation = async (request, context) => {
  const { bucket } = context;
  requireOffered(request.headers, bucket);
  const shown = shownKey({ headers: request.headers }, context);
  refuseVersionId(request);
  const number = requestedPartNumber(request);
  const target = uploadTarget(request, bucket);
  // Looked up before the body is read: a client with a wrong upload id need not send it.
  const upload = await authorizedForPart(target, context);
  requirePartKey(upload.encryption, shown);
  requirePartChecksum(upload.checksum, request.headers);
  const keepApart = partEncryption(upload.encryption, shown, bucket);
  const { declaredSize } = request.body;
  const storing = withinQuota({ bytes: declaredSize ?? 0, objects: 0 }, context, (admitted) =>
    storePart(request, { upload, number, keepApart, admitted }, context),
  );
  const { etag, checksum } = await heedingUpload(target, storing, context);
  const checksums = checksum === undefined ? {} : { [checksumHeader(checksum.algorithm)]: checksum.value };
  return { status: 200, headers: { etag: quoted(etag), ...describeEncryption(keepApart), ...checksums } };
};

interface OpenPart {
  readonly upload: Upload;
  readonly number: number;
  readonly keepApart: KeepApart | undefined;
  readonly admitted: AdmittedWrite | undefined;
}

/** @throws S3Error what is wrong with the body, NoSuchUpload */
async function storePart(
  request: S3Request,
  { upload, number, keepApart, admitted }: OpenPart,
  { manifest, settings, call }: OperationContext,
): Promise<PartRecord> {
  // Of a body whose length is not declared, nothing is left to the backend.
  const size = request.body.declaredSize ?? 0;
  const isSaid = await manifest.uploads.saysPartMd5(upload, { size, keepApart }, call);
  const body = await request.body.open({
    holdBytes: settings.holdBytes,
    maxSize: MAX_PART_SIZE,
    md5: isSaid ? 'backend' : 'here',
    ...(upload.checksum !== undefined && { wantChecksum: upload.checksum.algorithm }),
  });
  if (request.body.declaredSize === undefined) admitted?.grow(body.size);
  const part = { number, facts: body.facts, keepApart };
  if (body.kind === 'held') return manifest.uploads.putPart(upload, { ...part, body: body.bytes }, call);
  const md5 = isSaid ? body.declared.md5 : undefined;
  const { stream } = body;
  return judgedByBackend(
    md5,
    manifest.uploads.putPart(upload, { ...part, md5, body: { size: body.size, stream } }, call),
  );
}
