import type { PayloadMode } from '../../auth/payload-mode.ts';
import { S3Error } from '../../errors/s3-error.ts';
import { CHECKSUM_ALGORITHMS, checksumHeader, type ChecksumAlgorithm } from '../checksums/algorithms.ts';
import { decodeBase64, decodeChecksum } from '../checksums/encoding.ts';
import type { HeaderReader } from '../request.ts';
import { invalidRequest } from './body-errors.ts';

/** What the headers promise about the payload. */
export interface DeclaredDigests {
  /** Of Content-MD5: 16 bytes. */
  readonly md5?: Buffer;
  /** Base64 value; absent when it comes in the trailer. */
  readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly value?: string };
}

const CHECKSUM_PREFIX = 'x-amz-checksum-';
const SDK_ALGORITHM = 'x-amz-sdk-checksum-algorithm';
/**
 * Headers with the same prefix that are no checksums: they describe a multipart upload, or the answer that is wanted.
 */
const NOT_VALUES = new Set(['x-amz-checksum-algorithm', 'x-amz-checksum-type', 'x-amz-checksum-mode']);
const BY_HEADER: ReadonlyMap<string, ChecksumAlgorithm> = new Map(
  CHECKSUM_ALGORITHMS.map((algorithm) => [checksumHeader(algorithm), algorithm]),
);

interface DigestHeaderOptions {
  /** False for a request whose checksum headers describe something other than its body. */
  readonly checksums: boolean;
}

/**
 * Content-MD5, `x-amz-checksum-*`, `x-amz-trailer` and `x-amz-sdk-checksum-algorithm`, checked for
 * form and against each other. Only headers count: SDKs hoist these into presigned queries, where
 * they describe a body that is not known yet.
 * @throws S3Error InvalidDigest, InvalidRequest
 */
export function readDeclaredDigests(
  headers: HeaderReader,
  payload: PayloadMode,
  options: DigestHeaderOptions,
): DeclaredDigests {
  const md5 = contentMd5(headers);
  const checksum = options.checksums ? declaredChecksum(headers, payload) : undefined;
  return { ...(md5 !== undefined && { md5 }), ...(checksum !== undefined && { checksum }) };
}

function contentMd5(headers: HeaderReader): Buffer | undefined {
  const header = headers.get('content-md5');
  if (header === undefined) {
    return undefined;
  }
  const digest = decodeBase64(header, 16);
  if (digest === undefined) {
    throw new S3Error('InvalidDigest', { extra: { 'Content-MD5': header } });
  }
  return digest;
}

function declaredChecksum(headers: HeaderReader, payload: PayloadMode): DeclaredDigests['checksum'] {
  const announced = headers.get(SDK_ALGORITHM);
  const found: NonNullable<DeclaredDigests['checksum']>[] = [
    ...headersWithValues(headers),
    ...trailerNames(headers, payload),
  ];
  const [first = announcedMd5(headers)] = found;
  if (found.length > 1) {
    throw invalidRequest('Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.');
  }
  // The number of checksums is judged before their form: two are refused as two, even if one of them is no digest.
  if (first?.value !== undefined) checkedValue(first.algorithm, first.value);
  if (first === undefined) {
    if (announced !== undefined) {
      throw invalidRequest(
        `${SDK_ALGORITHM} specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.`,
      );
    }
    return undefined;
  }
  if (announced !== undefined && announced.toUpperCase() !== first.algorithm) {
    throw invalidRequest(`Value for ${SDK_ALGORITHM} header is invalid.`);
  }
  return first;
}

/** For a checksum by MD5 the SDK for JavaScript names the algorithm here and sends the value as Content-MD5. */
export function announcedMd5(headers: HeaderReader): DeclaredDigests['checksum'] {
  const value = headers.get('content-md5');
  return value !== undefined && headers.get(SDK_ALGORITHM)?.toUpperCase() === 'MD5'
    ? { algorithm: 'MD5', value }
    : undefined;
}

function headersWithValues(headers: HeaderReader): Required<NonNullable<DeclaredDigests['checksum']>>[] {
  const found: Required<NonNullable<DeclaredDigests['checksum']>>[] = [];
  for (const [name, value] of headers.startingWith(CHECKSUM_PREFIX)) {
    if (!NOT_VALUES.has(name)) found.push({ algorithm: algorithmOf(name, UNKNOWN.header), value });
  }
  return found;
}

function trailerNames(headers: HeaderReader, payload: PayloadMode): { readonly algorithm: ChecksumAlgorithm }[] {
  const header = headers.get('x-amz-trailer');
  if (header === undefined) {
    return [];
  }
  if (payload.kind !== 'streaming-signed-trailer' && payload.kind !== 'streaming-unsigned-trailer') {
    throw invalidRequest('x-amz-trailer needs a payload that ends in a trailer: see x-amz-content-sha256.');
  }
  return header.split(',').map((name) => ({ algorithm: algorithmOf(name.trim().toLowerCase(), UNKNOWN.trailer) }));
}

/** S3's words for a name that it does not know. */
const UNKNOWN = {
  header: 'The algorithm type you specified in x-amz-checksum- header is invalid.',
  trailer: 'The value specified in the x-amz-trailer header is not supported',
} as const;

function algorithmOf(name: string, message: string): ChecksumAlgorithm {
  const algorithm = BY_HEADER.get(name);
  if (algorithm === undefined) throw invalidRequest(message);
  return algorithm;
}

/**
 * AWS answers InvalidRequest, but the suite that all S3 servers are tested with wants BadDigest (docs/deviations.md).
 * @throws S3Error BadDigest unless `value` is a base64 digest of the algorithm
 */
export function checkedValue(algorithm: ChecksumAlgorithm, value: string): void {
  if (decodeChecksum(algorithm, value) === undefined) {
    throw new S3Error('BadDigest', { message: `Value for ${checksumHeader(algorithm)} header is invalid.` });
  }
}

/** What the headers declare about a streamed body before its first byte; MD5 in hex. */
export function declaredFacts({ md5, checksum }: DeclaredDigests): {
  md5?: string;
  checksum?: NonNullable<DeclaredDigests['checksum']>;
} {
  return { ...(md5 !== undefined && { md5: md5.toString('hex') }), ...(checksum !== undefined && { checksum }) };
}
