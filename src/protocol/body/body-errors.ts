import { S3Error } from '../../errors/s3-error.ts';

/** The body is not what its headers announced: too few bytes, too many, or broken framing. */
export function incompleteBody(cause?: unknown): S3Error {
  return new S3Error('IncompleteBody', { cause });
}

export function invalidRequest(message: string): S3Error {
  return new S3Error('InvalidRequest', { message });
}
