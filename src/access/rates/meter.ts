import type { Rates } from '../identities/identities.ts';

/** What a request would have gone beyond. */
export type Limit = 'requests' | 'concurrency' | 'bytesIn' | 'bytesOut';

interface Refusal {
  readonly limit: Limit;
  /** Seconds until another try may do. */
  readonly retryAfter: number;
}

const SECOND = 1000;
/**
 * Longest that a client is told to wait: what a large body took too much is paid off meanwhile, or it is told again.
 */
const MAX_RETRY_AFTER = 60;

/**
 * What one identity, account or bucket takes of its limits, in this process. Requests and bytes a second are buckets of
 * tokens that hold one second's worth; bytes are taken as they flow, so a large body leaves a debt, which is waited for
 * before the next request.
 */
export class Meter {
  #rates: Rates;
  #running = 0;
  #at: number;
  #requests: number;
  #bytesIn: number;
  #bytesOut: number;

  constructor(rates: Rates, now: number) {
    this.#rates = rates;
    this.#at = now;
    this.#requests = rates.requestsPerSecond ?? 0;
    this.#bytesIn = rates.bytesInPerSecond ?? 0;
    this.#bytesOut = rates.bytesOutPerSecond ?? 0;
  }

  /** Nothing is under way and nothing is owed: forgetting it changes nothing. */
  isIdle(now: number): boolean {
    this.#fill(now);
    const { requestsPerSecond = 0, bytesInPerSecond = 0, bytesOutPerSecond = 0 } = this.#rates;
    return (
      this.#running === 0 &&
      this.#requests >= requestsPerSecond &&
      this.#bytesIn >= bytesInPerSecond &&
      this.#bytesOut >= bytesOutPerSecond
    );
  }

  /** Limits that the configuration has changed meanwhile. */
  set rates(rates: Rates) {
    this.#rates = rates;
  }

  /** Why a request has to wait; undefined: it need not. Takes nothing. */
  refusal(now: number): Refusal | undefined {
    this.#fill(now);
    const { requestsPerSecond, concurrency, bytesInPerSecond, bytesOutPerSecond } = this.#rates;
    if (concurrency !== undefined && this.#running >= concurrency) return { limit: 'concurrency', retryAfter: 1 };
    if (requestsPerSecond !== undefined && this.#requests < 1) {
      return { limit: 'requests', retryAfter: wait(1 - this.#requests, requestsPerSecond) };
    }
    if (bytesInPerSecond !== undefined && this.#bytesIn <= 0) {
      return { limit: 'bytesIn', retryAfter: wait(1 - this.#bytesIn, bytesInPerSecond) };
    }
    if (bytesOutPerSecond !== undefined && this.#bytesOut <= 0) {
      return { limit: 'bytesOut', retryAfter: wait(1 - this.#bytesOut, bytesOutPerSecond) };
    }
    return undefined;
  }

  begin(): void {
    this.#running += 1;
    this.#requests -= 1;
  }

  end(): void {
    this.#running -= 1;
  }

  /** Ends what turned out to be another caller's request, as if it had never begun. */
  giveBack(): void {
    this.#running -= 1;
    this.#requests += 1;
  }

  /** Bytes that came and went since they were last taken. */
  take(bytesIn: number, bytesOut: number): void {
    this.#bytesIn -= bytesIn;
    this.#bytesOut -= bytesOut;
  }

  #fill(now: number): void {
    const seconds = Math.max(0, now - this.#at) / SECOND;
    this.#at = now;
    const { requestsPerSecond = 0, bytesInPerSecond = 0, bytesOutPerSecond = 0 } = this.#rates;
    this.#requests = Math.min(requestsPerSecond, this.#requests + seconds * requestsPerSecond);
    this.#bytesIn = Math.min(bytesInPerSecond, this.#bytesIn + seconds * bytesInPerSecond);
    this.#bytesOut = Math.min(bytesOutPerSecond, this.#bytesOut + seconds * bytesOutPerSecond);
  }
}

function wait(missing: number, perSecond: number): number {
  return Math.min(MAX_RETRY_AFTER, Math.max(1, Math.ceil(missing / perSecond)));
}
