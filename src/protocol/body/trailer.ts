import type { ChunkSignatureChain } from '../../auth/chunk-signature.ts';
import { S3Error } from '../../errors/s3-error.ts';

/** One trailing header; the name in lower case, the value trimmed. */
export interface TrailerField {
  readonly name: string;
  readonly value: string;
}

const SIGNATURE = 'x-amz-trailer-signature';

/**
 * What follows the last chunk. Clients end its lines with CRLF or LF, put blank lines at will, and
 * leave the last one out; so blank lines are ignored and the end of the body ends the section.
 * @throws S3Error MalformedTrailerError
 */
export function parseTrailer(section: string): TrailerField[] {
  return section
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const colon = line.indexOf(':');
      if (colon <= 0) {
        throw new S3Error('MalformedTrailerError');
      }
      return { name: line.slice(0, colon).trim().toLowerCase(), value: line.slice(colon + 1).trim() };
    });
}

/**
 * Takes the signature off a signed trailer and verifies it.
 * @throws S3Error MalformedTrailerError when there is not exactly one, SignatureDoesNotMatch
 */
export function verifySignedTrailer(fields: readonly TrailerField[], chain: ChunkSignatureChain): TrailerField[] {
  const signatures = fields.filter((field) => field.name === SIGNATURE);
  const signed = fields.filter((field) => field.name !== SIGNATURE);
  const [signature] = signatures;
  if (signature === undefined || signatures.length > 1) {
    throw new S3Error('MalformedTrailerError');
  }
  if (!chain.endTrailer(signed.map((field) => `${field.name}:${field.value}\n`).join(''), signature.value)) {
    throw new S3Error('SignatureDoesNotMatch');
  }
  return signed;
}
