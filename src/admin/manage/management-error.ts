import { isS3Error } from '../../errors/s3-error.ts';
import { FilterError } from '../journal/filter.ts';
import { isStoreError } from '../../store/store-error.ts';

/** What the admin API answers by itself, in IAM's terms where IAM has one, and the status of each. */
const STATUSES = {
  /** Body, query or name does not have the form. */
  ValidationError: 400,
  AccessDenied: 403,
  NoSuchEntity: 404,
  MethodNotAllowed: 405,
  EntityAlreadyExists: 409,
  /** It stands in the operator's own files. */
  UnmodifiableEntity: 409,
  DeleteConflict: 409,
  ConcurrentModification: 409,
  LimitExceeded: 409,
  /** As a whole it would not load: a group that is not there, a policy with a fault. */
  InvalidInput: 422,
  /** What the document lies on, or a backend, does not answer. Nothing was changed. */
  ServiceUnavailable: 503,
  /** The same, but the change may have been made. */
  OutcomeUnknown: 503,
} as const;

type ManagementCode = keyof typeof STATUSES;

/** An expected failure of the admin API. The message is for the caller, and holds no secret. */
export class ManagementError extends Error {
  readonly code: ManagementCode;

  constructor(code: ManagementCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ManagementError';
    this.code = code;
  }

  get status(): number {
    return STATUSES[this.code];
  }
}

/** What is answered. */
interface AnsweredFailure {
  readonly status: number;
  readonly code: string;
  readonly error: string;
}

/** Undefined: the error is none that was to be expected. */
export function answeredFailure(error: unknown): AnsweredFailure | undefined {
  if (error instanceof ManagementError || isS3Error(error)) {
    return { status: error.status, code: error.code, error: error.message };
  }
  if (error instanceof FilterError) return { status: 400, code: 'ValidationError', error: error.message };
  if (isStoreError(error)) {
    const code = error.lost ? 'OutcomeUnknown' : 'ServiceUnavailable';
    return { status: STATUSES[code], code, error: `the backend: ${error.message}` };
  }
  // Fastify's own: a body that is no JSON, too long, of another type.
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (!(error instanceof Error) || status < 400 || status >= 500) return undefined;
  return { status, code: 'ValidationError', error: error.message };
}
