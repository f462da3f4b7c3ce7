/** The status codes of gRPC that the driver answers, by their names. */
export type CosiCode =
  | 'INVALID_ARGUMENT'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'FAILED_PRECONDITION'
  | 'PERMISSION_DENIED'
  | 'UNAUTHENTICATED'
  | 'RESOURCE_EXHAUSTED'
  | 'ABORTED'
  | 'UNIMPLEMENTED'
  | 'UNAVAILABLE'
  | 'INTERNAL';

/**
 * Why a call of COSI is refused. The sidecar writes the message into an event of the claim, where its owner reads it:
 * never with a secret in it.
 */
export class CosiRefusal extends Error {
  readonly code: CosiCode;

  constructor(code: CosiCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'CosiRefusal';
    this.code = code;
  }
}
