import { redactText } from './redact-text.ts';

/** An error as it may be kept and shown: words and codes, no objects of the libraries that threw it. */
interface RedactedError {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: string | number;
  readonly status?: number;
  readonly cause?: RedactedError;
  /** Of an AggregateError. */
  readonly errors?: readonly RedactedError[];
}

const MAX_DEPTH = 8;
const MAX_ERRORS = 16;

/**
 * An error and its causes without credentials. Only known members are taken: errors of HTTP clients carry the whole
 * request, headers included. Whatever was thrown is accepted.
 */
export function redactError(error: unknown, depth = 0): RedactedError {
  if (!(error instanceof Error)) {
    return { type: typeof error, message: typeof error === 'string' ? redactText(error) : 'not an error' };
  }
  const { name, message, stack, cause } = error;
  const { code, status, statusCode } = error as {
    readonly code?: unknown;
    readonly status?: unknown;
    readonly statusCode?: unknown;
  };
  const deeper = depth < MAX_DEPTH;
  const below =
    error instanceof AggregateError && deeper ? (error.errors as unknown[]).slice(0, MAX_ERRORS) : undefined;
  return {
    type: name,
    message: redactText(message),
    ...(stack !== undefined && { stack: redactText(stack) }),
    ...(typeof code === 'string' && { code: redactText(code) }),
    ...(typeof code === 'number' && { code }),
    ...numericStatus(status ?? statusCode),
    ...(cause !== undefined && deeper && { cause: redactError(cause, depth + 1) }),
    ...(below !== undefined && { errors: below.map((one) => redactError(one, depth + 1)) }),
  };
}

function numericStatus(status: unknown): { readonly status?: number } {
  return typeof status === 'number' ? { status } : {};
}
