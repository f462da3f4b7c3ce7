import { S3Error, invalidArgument } from '../../errors/s3-error.ts';
import {
  type Bucket,
  copiedFields,
  type CopyObjectRequest,
  type ObjectAttributes,
  type ObjectView,
  wholeChecksum,
} from '../../manifest/index.ts';
import { CHECKSUM_ALGORITHMS, type ChecksumAlgorithm } from '../../protocol/checksums/algorithms.ts';
import { parseObjectAttributes, parsePlacement } from '../../protocol/headers/object-attributes.ts';
import type { HeaderReader } from '../../protocol/request.ts';
import { classByDefault } from './storage-class.ts';

/** What a CopyObject says about the metadata of the copy, read before the source is looked up. */
export interface RequestedMetadata {
  /** With the directive REPLACE: what the copy has instead of the source's metadata. */
  readonly replacement?: ObjectAttributes;
  /** Storage class and website redirect are never copied. */
  readonly placement: Pick<ObjectAttributes, 'storageClass' | 'websiteRedirect'>;
  /** Absent: the algorithm of the source's checksum. */
  readonly checksumAlgorithm?: ChecksumAlgorithm;
}

/** @throws S3Error InvalidArgument (directive), InvalidRequest (checksum), and what `parseObjectAttributes` finds */
export function requestedMetadata(headers: HeaderReader, bucket: Bucket): RequestedMetadata {
  const checksumAlgorithm = requestedChecksum(headers);
  const byDefault = classByDefault(headers, bucket);
  return {
    placement: { ...byDefault, ...parsePlacement(headers) },
    ...(directive(headers, 'metadata') === 'REPLACE' && {
      replacement: { ...byDefault, ...parseObjectAttributes(headers) },
    }),
    ...(checksumAlgorithm !== undefined && { checksumAlgorithm }),
  };
}

/**
 * Reads `x-amz-metadata-directive` or `x-amz-tagging-directive`; COPY if it is absent. @throws S3Error InvalidArgument
 */
export function directive(headers: HeaderReader, what: 'metadata' | 'tagging'): 'COPY' | 'REPLACE' {
  const name = `x-amz-${what}-directive`;
  const value = headers.get(name) ?? 'COPY';
  if (value === 'COPY' || value === 'REPLACE') return value;
  throw invalidArgument(name, value, `Unknown ${what} directive.`);
}

function requestedChecksum(headers: HeaderReader): ChecksumAlgorithm | undefined {
  const wanted = headers.get('x-amz-checksum-algorithm')?.toUpperCase();
  if (wanted === undefined) return undefined;
  const algorithm = CHECKSUM_ALGORITHMS.find((name) => name === wanted);
  if (algorithm !== undefined) return algorithm;
  const valid = CHECKSUM_ALGORITHMS.join(', ');
  throw new S3Error('InvalidRequest', {
    message: `Checksum algorithm provided is unsupported. Please try again with any of the valid types: [${valid}]`,
  });
}

/**
 * Decides the metadata and the checksum of the copy. The copy gets the source's checksum; if that consists of checksums
 * of parts, as one of the whole where that can be known. A checksum of another algorithm has to be computed from the
 * bytes.
 */
export function copyMetadata(
  { replacement, placement, checksumAlgorithm }: RequestedMetadata,
  view: ObjectView,
): Pick<CopyObjectRequest, 'attributes' | 'sameAttributes' | 'checksum' | 'checksumAlgorithm'> {
  const { headers, userMetadata } = view;
  const checksum = wholeChecksum(view);
  const attributes = replacement ?? { headers, userMetadata, ...copiedFields(view), ...placement };
  const kept = checksumAlgorithm === undefined || checksumAlgorithm === checksum?.algorithm;
  return {
    attributes,
    sameAttributes: replacement === undefined,
    ...(kept ? checksum !== undefined && { checksum } : { checksumAlgorithm }),
  };
}
