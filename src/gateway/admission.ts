import type { Principal } from '../access/accounts.ts';
import type { RateLimits } from '../access/rates/rate-limits.ts';
import type { S3Error } from '../errors/s3-error.ts';
import type { Exchange } from './exchange.ts';

/** Lets requests in as the rates of their senders and buckets allow. */
export class Admission {
  readonly #rates: RateLimits | undefined;

  /** @param rates absent: nobody is limited */
  constructor(rates: RateLimits | undefined) {
    this.#rates = rates;
  }

  /**
   * Applies the limits of rates, before any work is done for the request and before its body is read. @throws S3Error
   * SlowDown
   */
  admit(exchange: Exchange, principal: Principal): void {
    const { response, facts } = exchange;
    const admission = this.#rates?.admit(principal, facts.bucket, () => exchange.flowed);
    if (admission === undefined) return;
    if (response.closed) admission.end();
    else response.once('close', () => admission.end());
  }

  /**
   * Whether the gateway may look at the bucket to find the CORS headers of a refusal. A request that was refused
   * because of its rate may not. A request of an unknown sender counts against the rate of anonymous requests for it.
   */
  mayLook(exchange: Exchange, failure: S3Error): boolean {
    if (exchange.headers.get('origin') === undefined || exchange.corsHeaders !== undefined) return true;
    if (failure.code === 'SlowDown') return false;
    const { auth } = exchange.facts;
    if (auth !== undefined && auth.failure === undefined) return true;
    try {
      this.admit(exchange, { kind: 'anonymous' });
      return true;
    } catch {
      return false;
    }
  }
}
