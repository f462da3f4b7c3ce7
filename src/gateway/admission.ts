import type { Counted, RateLimits, Sender } from '../access/rates/rate-limits.ts';
import type { S3Error } from '../errors/s3-error.ts';
import type { Exchange } from './exchange.ts';

/**
 * Lets requests in as the rates of their senders and buckets allow. It is asked at the door, before anything is done
 * for a request, and again whenever more of it is known.
 */
export class Admission {
  readonly #rates: RateLimits | undefined;

  /** @param rates absent: no caller is limited */
  constructor(rates: RateLimits | undefined) {
    this.#rates = rates;
  }

  /**
   * Counts the request against the limits of its sender, in place of the one that it was counted for so far, and of
   * its bucket. @throws S3Error SlowDown
   */
  admit(exchange: Exchange, sender: Sender): void {
    if (this.#rates === undefined) return;
    const { bucket } = exchange.facts;
    this.#count(exchange, { sender, buckets: exchange.counted?.buckets ?? (bucket === undefined ? [] : [bucket]) });
  }

  /** Counts the request against one more bucket. @throws S3Error SlowDown */
  alsoOnBucket(exchange: Exchange, bucket: string): void {
    const { counted } = exchange;
    if (counted === undefined || counted.buckets.includes(bucket)) return;
    this.#count(exchange, { sender: counted.sender, buckets: [...counted.buckets, bucket] });
  }

  #count(exchange: Exchange, counted: Counted): void {
    if (exchange.admission === undefined) this.#letIn(exchange, counted);
    else exchange.admission.again(counted);
    exchange.counted = counted;
  }

  #letIn(exchange: Exchange, counted: Counted): void {
    const { response } = exchange;
    const admission = this.#rates?.admit(counted, () => exchange.flowed);
    if (admission === undefined) return;
    exchange.admission = admission;
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
