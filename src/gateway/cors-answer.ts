import type { BucketRegistry } from '../manifest/buckets/buckets.ts';
import { type Call, withSignal } from '../observe/call.ts';
import { CORS_VARY, type CorsRule, corsHeaders } from '../protocol/cors/cors-rule.ts';
import { rulesInForce } from '../operations/preflight.ts';
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
 * Finds out which headers let the page that made a request read its answer, whatever that will be: also an error that
 * comes before any operation. Only requests of pages (`Origin`) may cost a look at the bucket, which the operation then
 * finds in memory. A preflight answers for itself.
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
    const rules = rulesInForce(bucket, byDefault);
    if (rules.length === 0) return;
    const asked = {
      origin,
      method: headers.get('access-control-request-method') ?? method,
      requestHeaders: headers.get('access-control-request-headers'),
    };
    exchange.corsHeaders = corsHeaders(rules, asked) ?? { vary: CORS_VARY };
  } catch {
    // No bucket, or none that can be read: what is wrong is answered to the request itself, and no page is told.
  }
}

/**
 * A cache must not give to a page what was answered to somebody who is none. Costs no call: the bucket was just used,
 * or nobody knows it.
 */
export function varyWithoutOrigin(exchange: Exchange, { buckets, byDefault }: CorsOptions): void {
  const {
    facts: { bucket: name },
  } = exchange;
  if (name === undefined || exchange.corsHeaders !== undefined || exchange.request.method === 'OPTIONS') return;
  const bucket = buckets.remembered(name);
  if (bucket !== undefined && rulesInForce(bucket, byDefault).length > 0) exchange.corsHeaders = { vary: CORS_VARY };
}
