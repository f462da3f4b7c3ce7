import type { Service } from './fault.ts';

export interface RefusalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** https://learn.microsoft.com/rest/api/storageservices/blob-service-error-codes */
const AZURE_CODES: Readonly<Record<number, string>> = {
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServerBusy',
};
/** https://cloud.google.com/storage/docs/json_api/v1/status-codes */
const GCS_REASONS: Readonly<Record<number, string>> = {
  429: 'rateLimitExceeded',
  500: 'backendError',
  503: 'backendError',
};

/** A failure as the service would word it. @param retryAfter seconds */
export function refusalAnswer(service: Service, status: number, retryAfter?: number): RefusalAnswer {
  const wait: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  if (service === 'azure') {
    const code = AZURE_CODES[status] ?? 'InternalError';
    const body = `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>Injected.</Message></Error>`;
    return { status, headers: { ...wait, 'content-type': 'application/xml', 'x-ms-error-code': code }, body };
  }
  const reason = GCS_REASONS[status] ?? 'backendError';
  const error = { code: status, message: 'Injected.', errors: [{ message: 'Injected.', domain: 'global', reason }] };
  return {
    status,
    headers: { ...wait, 'content-type': 'application/json; charset=UTF-8' },
    body: JSON.stringify({ error }),
  };
}

/** What Azure answers to a copy whose source a firewall keeps it from. */
export const SOURCE_REFUSED: RefusalAnswer = {
  status: 403,
  headers: {
    'content-type': 'application/xml',
    'x-ms-error-code': 'CannotVerifyCopySource',
    'x-ms-copy-source-status-code': '403',
    'x-ms-copy-source-error-code': 'AuthorizationFailure',
  },
  body: '<?xml version="1.0" encoding="utf-8"?><Error><Code>CannotVerifyCopySource</Code><Message>This request is not authorized to perform this operation.</Message></Error>',
};
