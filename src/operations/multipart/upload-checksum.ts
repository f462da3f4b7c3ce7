import { S3Error } from '../../errors/s3-error.ts';
import type { UploadChecksum } from '../../manifest/index.ts';
import { announcedMd5 } from '../../protocol/body/declared-digests.ts';
import {
  CHECKSUM_ALGORITHMS,
  type ChecksumAlgorithm,
  type ChecksumType,
  checksumHeader,
} from '../../protocol/checksums/algorithms.ts';
import { isCrc } from '../../protocol/checksums/crc-combine.ts';
import type { HeaderReader } from '../../protocol/request.ts';

const ALGORITHM = 'x-amz-checksum-algorithm';
const TYPE = 'x-amz-checksum-type';

/**
 * The algorithm and type that an upload is created with. CRCs of parts can be combined to that of the whole object, SHA
 * digests cannot, and CRC64NVME exists for whole objects only (S3 user guide, "Checking object integrity").
 * @throws S3Error InvalidRequest
 */
export function createdChecksum(headers: HeaderReader): UploadChecksum | undefined {
  const named = headers.get(ALGORITHM);
  const type = checksumTypeOf(headers);
  if (named === undefined) {
    if (type === undefined) return undefined;
    throw invalidRequest(`The ${TYPE} header can only be used with the ${ALGORITHM} header.`);
  }
  const algorithm = CHECKSUM_ALGORITHMS.find((known) => known === named.toUpperCase());
  if (algorithm === undefined) {
    throw invalidRequest(
      `Checksum algorithm provided is unsupported. Please try again with any of the valid types: [${CHECKSUM_ALGORITHMS.join(', ')}]`,
    );
  }
  if ((type === 'COMPOSITE' && algorithm === 'CRC64NVME') || (type === 'FULL_OBJECT' && !isCrc(algorithm))) {
    throw invalidRequest(
      `The ${type} checksum type cannot be used with the ${algorithm.toLowerCase()} checksum algorithm.`,
    );
  }
  return { algorithm, type: type ?? (algorithm === 'CRC64NVME' ? 'FULL_OBJECT' : 'COMPOSITE') };
}

/** @throws S3Error InvalidRequest */
export function checksumTypeOf(headers: HeaderReader): ChecksumType | undefined {
  const type = headers.get(TYPE)?.toUpperCase();
  if (type === undefined || type === 'COMPOSITE' || type === 'FULL_OBJECT') return type;
  throw invalidRequest(`Value for ${TYPE} header is invalid.`);
}

/** The checksum of the object as CompleteMultipartUpload declares it. @throws S3Error InvalidRequest: more than one */
export function objectChecksum(
  headers: HeaderReader,
): { readonly algorithm: ChecksumAlgorithm; readonly value: string } | undefined {
  let found: ReturnType<typeof objectChecksum>;
  for (const algorithm of CHECKSUM_ALGORITHMS) {
    const value = headers.get(checksumHeader(algorithm));
    if (value === undefined) continue;
    if (found !== undefined) {
      throw invalidRequest('Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.');
    }
    found = { algorithm, value };
  }
  return found;
}

/**
 * Requires that a part declares the algorithm of its upload. A part that declares none is accepted if the object's
 * checksum is one of the whole object, and the gateway computes it; a composite checksum takes what the client vouches
 * for.
 * @throws S3Error InvalidRequest
 */
export function requirePartChecksum(checksum: UploadChecksum | undefined, headers: HeaderReader): void {
  if (checksum === undefined) return;
  const declared = declaredAlgorithm(headers);
  if (declared === checksum.algorithm || (declared === undefined && checksum.type === 'FULL_OBJECT')) return;
  const [expected, actual] = [checksum.algorithm, declared ?? 'null'].map((name) => name.toLowerCase());
  throw invalidRequest(
    `Checksum Type mismatch occurred, expected checksum Type: ${expected}, actual checksum Type: ${actual}`,
  );
}

function declaredAlgorithm(headers: HeaderReader): ChecksumAlgorithm | undefined {
  const trailer = (headers.get('x-amz-trailer') ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const named = CHECKSUM_ALGORITHMS.find((algorithm) => {
    const name = checksumHeader(algorithm);
    return headers.get(name) !== undefined || trailer.includes(name);
  });
  return named ?? announcedMd5(headers)?.algorithm;
}

function invalidRequest(message: string): S3Error {
  return new S3Error('InvalidRequest', { message });
}
