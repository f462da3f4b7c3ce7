import { ERROR_TABLE, type S3ErrorCode } from './error-table.ts';

interface S3ErrorOptions {
  /** Replaces the table's default message. */
  readonly message?: string;
  /** Replaces the table's status (a few codes have two). */
  readonly status?: number;
  /** Extra elements of the error body, in order, e.g. `{ BucketName: 'b' }`. Never a secret. */
  readonly extra?: Readonly<Record<string, string | number>>;
  /** Extra response headers, lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An answer that S3 defines as an error. Everything above the store throws only this for expected failures. */
export class S3Error extends Error {
  readonly code: S3ErrorCode;
  readonly status: number;
  readonly extra: Readonly<Record<string, string | number>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: S3ErrorCode, options: S3ErrorOptions = {}) {
    const row = ERROR_TABLE[code];
    super(options.message ?? row.message, { cause: options.cause });
    this.name = 'S3Error';
    this.code = code;
    this.status = options.status ?? row.status;
    this.extra = options.extra ?? {};
    this.headers = options.headers ?? {};
  }
}

export function isS3Error(error: unknown, ...codes: readonly S3ErrorCode[]): error is S3Error {
  return error instanceof S3Error && (codes.length === 0 || codes.includes(error.code));
}

/** 400 InvalidArgument with the two elements clients look at. */
export function invalidArgument(name: string, value: string, message: string): S3Error {
  return new S3Error('InvalidArgument', { message, extra: { ArgumentName: name, ArgumentValue: value } });
}

/** 501 NotImplemented with words for people. @param what beginning of a sentence: `Notification of events` */
export function notOffered(what: string): S3Error {
  return new S3Error('NotImplemented', { message: `${what} is not offered by this service.` });
}
