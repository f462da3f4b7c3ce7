import { StoreError } from '../../src/store/store-error.ts';
import type { StoreErrorDetail, StoreErrorKind } from '../../src/store/store-error.ts';
import type { GcsRequest } from './request.ts';

/** A refusal as the service sent it. */
export interface Refusal {
  readonly status: number;
  /** `reason` of the first error of a JSON document, or `Code` of an XML one. */
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly requestId: string | undefined;
  /** Seconds. */
  readonly retryAfter: number | undefined;
}

/**
 * Codes that mean the same in every call
 * (https://cloud.google.com/storage/docs/json_api/v1/status-codes,
 * https://cloud.google.com/storage/docs/xml-api/reference-status).
 */
const BY_CODE: Readonly<Record<string, StoreErrorKind>> = {
  conditionNotMet: 'conditionFailed',
  PreconditionFailed: 'conditionFailed',
  resourceIsEncryptedWithCustomerEncryptionKey: 'keyRefused',
  ResourceIsEncryptedWithCustomerEncryptionKey: 'keyRefused',
  resourceNotEncryptedWithCustomerEncryptionKey: 'keyRefused',
  ResourceNotEncryptedWithCustomerEncryptionKey: 'keyRefused',
  customerEncryptionKeyIsIncorrect: 'keyRefused',
  CustomerEncryptionKeyIsIncorrect: 'keyRefused',
  NoSuchKey: 'notFound',
  NoSuchBucket: 'containerNotFound',
  InvalidRange: 'rangeNotSatisfiable',
  requestedRangeNotSatisfiable: 'rangeNotSatisfiable',
  rateLimitExceeded: 'throttled',
  userRateLimitExceeded: 'throttled',
  dailyLimitExceeded: 'throttled',
  quotaExceeded: 'throttled',
  SlowDown: 'throttled',
  uploadTooLarge: 'tooLarge',
  EntityTooLarge: 'tooLarge',
  accountDisabled: 'denied',
  UserProjectMissing: 'denied',
  UserProjectAccessDenied: 'denied',
  AccessDenied: 'denied',
  AccountProblem: 'denied',
  forbidden: 'denied',
  insufficientPermissions: 'denied',
  authError: 'denied',
  retentionPolicyNotMet: 'denied',
  objectUnderActiveHold: 'denied',
};

const BY_STATUS: Readonly<Record<number, StoreErrorKind>> = {
  401: 'denied',
  403: 'denied',
  404: 'notFound',
  408: 'unavailable',
  // Another change of the same object or bucket was under way.
  409: 'throttled',
  412: 'conditionFailed',
  413: 'tooLarge',
  416: 'rangeNotSatisfiable',
  429: 'throttled',
  503: 'throttled',
};

/** `invalid` and `required` (400) say in words only what is invalid, or that readers of the bucket pay. */
const BY_WORDS: readonly (readonly [RegExp, StoreErrorKind])[] = [
  [/\bhash\b|content-?md5|\bcrc32c\b/i, 'digestMismatch'],
  [/metadata.*(?:too large|exceed|limit)/i, 'tooLarge'],
  [/\brequester pays\b/i, 'denied'],
  [/\bname\b|object length|unicode/i, 'invalidName'],
];

/**
 * `forbidden` (403) says in words only that not a permission is missing, but the cloud's own retention or a hold is in
 * the way: the codes that are documented for these.
 */
const FORBIDDEN_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bretention polic/i, 'retentionPolicyNotMet'],
  [/\bhold\b/i, 'objectUnderActiveHold'],
];

const NO_BUCKET = /bucket does not exist/i;

/** Makes the port's error for a refusal. Every status and code has one. */
export function refusalError(
  request: Pick<GcsRequest, 'call' | 'effect' | 'missing' | 'conflict'>,
  refusal: Refusal,
): StoreError {
  const { status, requestId, retryAfter, message } = refusal;
  const code = saidCode(refusal);
  const detail: StoreErrorDetail = {
    call: request.call,
    status,
    ...(code !== undefined && { code }),
    ...(requestId !== undefined && { backendRequestId: requestId }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(request.effect === 'change' && (status >= 500 || status === 408) && { lost: true }),
    ...(message !== undefined && { cause: new Error(message) }),
  };
  return new StoreError(kindOf(request, refusal), detail);
}

function saidCode({ code, message = '' }: Refusal): string | undefined {
  if (code !== 'forbidden') return code;
  return FORBIDDEN_WORDS.find(([words]) => words.test(message))?.[1] ?? code;
}

function kindOf(
  { missing, conflict }: Pick<GcsRequest, 'missing' | 'conflict'>,
  { status, code, message = '' }: Refusal,
): StoreErrorKind {
  if (status === 409 && conflict !== undefined) return conflict;
  if (status === 404 && (missing === 'bucket' || NO_BUCKET.test(message))) return 'containerNotFound';
  const known = code !== undefined && Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
  // A document of the wrong kind does not turn a server's failure into a client's.
  if (known !== undefined && status < 500) return known;
  if (status === 400) return BY_WORDS.find(([words]) => words.test(message))?.[1] ?? 'unexpected';
  return BY_STATUS[status] ?? (status >= 500 ? 'unavailable' : 'unexpected');
}

/** Code and words of an error document, of either API; undefined where there is none. */
export function readErrorDocument(text: string): { code: string | undefined; message: string | undefined } {
  if (text.trimStart().startsWith('<')) {
    return { code: /<Code>(\w{1,100})<\/Code>/.exec(text)?.[1], message: /<Message>([^<]{1,1000})/.exec(text)?.[1] };
  }
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown; errors?: { reason?: unknown }[] } | null };
    const [reason, message] = [error?.errors?.[0]?.reason, error?.message];
    return {
      code: typeof reason === 'string' ? reason : undefined,
      message: typeof message === 'string' ? message : undefined,
    };
  } catch {
    // Uploads answer some refusals in plain words.
    return { code: undefined, message: text === '' ? undefined : text.slice(0, 1000) };
  }
}
