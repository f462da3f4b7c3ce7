import { S3Error } from '../../errors/s3-error.ts';

/** The bytes that came are not those that were announced: too few, too many, or in broken framing. */
export function incompleteBody(cause?: unknown): S3Error {
  return new S3Error('IncompleteBody', { cause });
}

export function invalidRequest(message: string): S3Error {
  return new S3Error('InvalidRequest', { message });
}
