import { invalidArgument, S3Error } from '../../errors/s3-error.ts';
import type { ExpectedObject, ListedPart } from '../../manifest/index.ts';
import { CHECKSUM_ALGORITHMS } from '../../protocol/checksums/algorithms.ts';
import { decodeChecksum } from '../../protocol/checksums/encoding.ts';
import { quoted } from '../../protocol/headers/object-headers.ts';
import { expirationHeader } from '../../protocol/lifecycle/expiration-headers.ts';
import type { HeaderReader, S3Request } from '../../protocol/request.ts';
import { type Decoded, decodeXmlList } from '../../protocol/xml/decode.ts';
import { xml } from '../../protocol/xml/document.ts';
import { COMPLETE_MULTIPART_UPLOAD, COMPLETE_MULTIPART_UPLOAD_RESULT } from '../../protocol/xml/multipart-shapes.ts';
import { objectChecksumElements } from '../answer-values.ts';
import { writeConditions } from '../object/put-object.ts';
import { createdVersionHeaders } from '../object-version.ts';
import { locationOf } from '../answer-values.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { encryptionOf, requireOffered, shownKey } from '../encryption.ts';
import { withinQuotaIfAdded } from '../quota.ts';
import { heedingUpload, requireCompletionAccess, requireStarter } from './authorized-upload.ts';
import { checksumTypeOf, objectChecksum } from './upload-checksum.ts';
import { isPartNumber, uploadTarget } from './upload-request.ts';

const SIZE = 'x-amz-mp-object-size';
/** 10,000 parts of seven elements, some of them listed again. */
const LIMITS = { bytes: 8 * 1024 * 1024, elements: 100_000 } as const;

const CHECKSUM_ELEMENTS = CHECKSUM_ALGORITHMS.map((algorithm) => [algorithm, `Checksum${algorithm}`] as const);

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html */
export const completeMultipartUpload: Operation = async (request, context) => {
  const { bucket } = context;
  requireOffered(request.headers, bucket);
  const shown = shownKey({ headers: request.headers, algorithmAlone: true }, context);
  const expected = expectedObject(request.headers);
  const conditions = writeConditions(request.headers);
  const target = uploadTarget(request, bucket);
  await requireCompletionAccess(target, context);

  let encryption = encryptionOf(undefined);
  const { buckets, uploads } = context.manifest;
  // The bytes are those of the parts, which count already. A repeated Complete adds nothing and is not judged.
  const completed = await withinQuotaIfAdded({ bytes: 0, objects: 1 }, context, async (admit) => {
    const parts = await heedingUpload(target, readParts(request, context), context);
    return uploads.complete(
      target,
      {
        parts,
        expected,
        conditions,
        ...(shown && { key: shown }),
        beforeAssembly: async (by) => {
          await admit();
          encryption = encryptionOf(by);
          context.mayTakeLong(encryption);
        },
        mayKnow: (starter) => requireStarter(target, starter, context),
        beforePublication: () => buckets.confirm(bucket, context.call),
      },
      context.call,
    );
  });
  const { etag, checksum, versionId, made } = completed;
  const value = {
    Location: locationOf(request, target.key),
    Bucket: bucket.name,
    Key: target.key,
    ETag: quoted(etag),
    ...objectChecksumElements(checksum),
  };
  const headers = {
    ...encryption,
    ...createdVersionHeaders(versionId),
    ...(made && expirationHeader(bucket.settings.lifecycle, { key: target.key, ...made })),
  };
  return { status: 200, headers, body: xml(COMPLETE_MULTIPART_UPLOAD_RESULT, value) };
};

/** @throws S3Error MalformedXML, InvalidRequest (no part), InvalidArgument (part number) */
async function readParts(request: S3Request, { call: { signal } }: OperationContext): Promise<ListedPart[]> {
  const document = await request.body.readAll(LIMITS.bytes, { checksumsOf: 'object' });
  const { parts } = await decodeXmlList(COMPLETE_MULTIPART_UPLOAD, document, { limits: LIMITS, signal });
  return listedParts(parts);
}

/**
 * What the headers say about the object. Here the checksum headers describe the object, not the body of the request.
 * @throws S3Error InvalidRequest
 */
function expectedObject(headers: HeaderReader): ExpectedObject {
  const checksum = objectChecksum(headers);
  const checksumType = checksumTypeOf(headers);
  const size = headers.get(SIZE);
  if (size !== undefined && !/^\d{1,15}$/.test(size)) {
    throw new S3Error('InvalidRequest', { message: `Value for ${SIZE} header is invalid.` });
  }
  return {
    ...(size !== undefined && { size: Number(size) }),
    ...(checksum !== undefined && { checksum }),
    ...(checksumType !== undefined && { checksumType }),
  };
}

/** @throws S3Error InvalidRequest (no part), InvalidArgument (part number) */
function listedParts(parts: Decoded<typeof COMPLETE_MULTIPART_UPLOAD>['parts']): ListedPart[] {
  if (parts.length === 0) throw noPart();
  const listed: ListedPart[] = [];
  for (const part of parts) {
    const number = part.PartNumber;
    if (!isPartNumber(number)) {
      const message = 'Part number must be an integer between 1 and 10000, inclusive';
      throw invalidArgument('PartNumber', String(number), message);
    }
    // A list may name a part twice, after the client has sent it again: the last entry counts (docs/deviations.md).
    if (listed.at(-1)?.number === number) listed.pop();
    listed.push({ number, etag: part.ETag, checksums: partChecksums(part) });
  }
  return listed;
}

function noPart(): S3Error {
  return new S3Error('InvalidRequest', { message: 'You must specify at least one part' });
}

/** @throws S3Error InvalidArgument: no digest of its algorithm, or more than one */
function partChecksums(part: Decoded<typeof COMPLETE_MULTIPART_UPLOAD>['parts'][number]): ListedPart['checksums'] {
  let checksums: ListedPart['checksums'] = {};
  let isFirst = true;
  for (const [algorithm, element] of CHECKSUM_ELEMENTS) {
    const value = part[element];
    if (value === undefined || value === '') continue;
    if (!isFirst || decodeChecksum(algorithm, value) === undefined) {
      throw invalidArgument('Checksum', value, 'Invalid Base64 or multiple checksums present in request');
    }
    checksums = { [algorithm]: value };
    isFirst = false;
  }
  return checksums;
}
