import type { BucketRegistry } from '../manifest/index.ts';
import { type Call, withSignal } from '../observe/call.ts';
import { CORS_VARY, type CorsRule, corsHeaders } from '../protocol/cors/cors-rule.ts';
import type { Exchange } from './exchange.ts';

/**
 * Longest wait for a bucket's rules, milliseconds: an error must reach the client also when the backend answers
 * nothing.
 */
const PATIENCE_MS = 5000;

export interface CorsOptions {
  readonly buckets: BucketRegistry;
  /** For buckets without rules of their own. */
  readonly byDefault: readonly CorsRule[];
}

/**
 * Finds out which CORS headers the answer needs so that the page that made the request may read it. It does this before
 * any operation runs, so that pages can read errors, too. For requests without `Origin` it does nothing: only those of
 * pages may cost a look at the bucket, which the operation then finds in memory. A preflight is answered by its own
 * operation.
 */
export async function prepareCors(exchange: Exchange, { buckets, byDefault }: CorsOptions, call: Call): Promise<void> {
  const {
    headers,
    request: { method = '' },
    facts: { bucket: name },
  } = exchange;
  const origin = headers.get('origin');
  if (origin === undefined || name === undefined || method === 'OPTIONS' || exchange.corsHeaders !== undefined) return;
  try {
    const bucket = await buckets.getForStranger(
      name,
      withSignal(call, AbortSignal.any([call.signal, AbortSignal.timeout(PATIENCE_MS)])),
    );
    const rules = bucket.settings.cors ?? byDefault;
    if (rules.length === 0) return;
    const asked = {
      origin,
      method: headers.get('access-control-request-method') ?? method,
      requestHeaders: headers.get('access-control-request-headers'),
    };
    exchange.corsHeaders = corsHeaders(rules, asked) ?? { vary: CORS_VARY };
  } catch {
    // There is no such bucket, or it cannot be read. The operation answers with what is wrong; the answer has no CORS
    // headers.
  }
}

/**
 * Adds `Vary: Origin` to answers to requests without `Origin`: a cache must not give such an answer to a page. This
 * costs no call: either the bucket was just used and is in memory, or its rules are not known and nothing is added.
 */
export function varyWithoutOrigin(exchange: Exchange, { buckets, byDefault }: CorsOptions): void {
  const {
    facts: { bucket: name },
  } = exchange;
  if (name === undefined || exchange.corsHeaders !== undefined || exchange.request.method === 'OPTIONS') return;
  const bucket = buckets.remembered(name);
  if (bucket === undefined) return;
  if ((bucket.settings.cors ?? byDefault).length > 0) exchange.corsHeaders = { vary: CORS_VARY };
}
