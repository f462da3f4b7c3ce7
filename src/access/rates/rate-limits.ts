import { S3Error } from '../../errors/s3-error.ts';
import type { AccountDirectory, Principal } from '../accounts.ts';
import type { Rates } from '../identities/identities.ts';
import { type Limit, Meter } from './meter.ts';

/** Whose limit it is. */
export type Scope = 'account' | 'identity' | 'anonymous' | 'bucket';

/** Bytes of a request so far, both ways; asked now and then while it runs. */
type Progress = () => { readonly bytesIn: number; readonly bytesOut: number };

interface RateLimitOptions {
  readonly accounts: Pick<AccountDirectory, 'ratesOf'>;
  readonly anonymous?: Rates | undefined;
  /** The bucket that a name means, of which all names together have one limit; absent: each means itself. */
  readonly meant?: (name: string) => string;
  /** Limits of a bucket by its own name; undefined: it has none. */
  readonly ofBucket: (name: string) => Rates | undefined;
  /** Told of each request that has to wait. */
  readonly onRefused?: (scope: Scope, limit: Limit) => void;
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
}

/** A request that counts; `end` must be called once when it is over. */
export interface Admission {
  end(): void;
}

interface Running {
  readonly meters: readonly Meter[];
  readonly progress: Progress;
  bytesIn: number;
  bytesOut: number;
}

interface Claimed {
  readonly scope: Scope;
  readonly name: string;
  readonly rates: Rates;
}

/** Names come from clients: more meters than this are looked through for idle ones. */
const MANY_METERS = 10_000;
/** Bytes that flow are taken this often at most. */
const SETTLE_MS = 50;

/**
 * Limits of rates: of an account with all who act in it, of a user or role with all its keys and sessions, of whoever
 * did not sign, and of a bucket. All that apply must have room. Each process counts its own.
 */
export class RateLimits {
  readonly #options: RateLimitOptions;
  readonly #now: () => number;
  readonly #meters = new Map<string, Meter>();
  readonly #running = new Set<Running>();
  #settledAt = -Infinity;

  constructor(options: RateLimitOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * Lets a request begin, before its body is read and anything is done for it.
   * @returns undefined when no limit applies to it
   * @throws S3Error SlowDown, with Retry-After
   */
  admit(principal: Principal, bucket: string | undefined, progress: Progress): Admission | undefined {
    const claimed = this.#claimed(principal, bucket);
    if (claimed.length === 0) return undefined;
    const now = this.#now();
    this.#settle(now);
    const meters = claimed.map((one) => this.#meter(one, now));
    for (const [at, { scope }] of claimed.entries()) {
      const refusal = meters[at]?.refusal(now);
      if (refusal === undefined) continue;
      this.#options.onRefused?.(scope, refusal.limit);
      throw new S3Error('SlowDown', { headers: { 'retry-after': String(refusal.retryAfter) } });
    }
    for (const meter of meters) meter.begin();
    const running: Running = { meters, progress, bytesIn: 0, bytesOut: 0 };
    this.#running.add(running);
    return {
      end: () => {
        if (!this.#running.delete(running)) return;
        take(running);
        for (const meter of meters) meter.end();
      },
    };
  }

  #claimed(principal: Principal, bucket: string | undefined): Claimed[] {
    const { accounts, anonymous, ofBucket, meant = itself } = this.#options;
    const claimed: Claimed[] = [];
    const claim = (scope: Scope, name: string, rates: Rates | undefined): void => {
      if (rates !== undefined) claimed.push({ scope, name, rates });
    };
    if (principal.kind === 'anonymous') {
      claim('anonymous', '', anonymous);
    } else {
      const { account, user, session } = principal;
      const identity = session?.role?.arn ?? user?.arn;
      claim('account', account.canonicalId, accounts.ratesOf(account.canonicalId));
      if (identity !== undefined) claim('identity', identity, accounts.ratesOf(identity));
    }
    if (bucket !== undefined) {
      const own = meant(bucket);
      claim('bucket', own, ofBucket(own));
    }
    return claimed;
  }

  #meter({ scope, name, rates }: Claimed, now: number): Meter {
    const key = `${scope} ${name}`;
    let meter = this.#meters.get(key);
    if (meter === undefined) {
      if (this.#meters.size >= MANY_METERS) this.#forgetIdle(now);
      meter = new Meter(rates, now);
      this.#meters.set(key, meter);
    }
    meter.rates = rates;
    return meter;
  }

  #forgetIdle(now: number): void {
    for (const [key, meter] of this.#meters) if (meter.isIdle(now)) this.#meters.delete(key);
  }

  /** What flowed since: a long body counts while it flows, not only when it is over. */
  #settle(now: number): void {
    if (now - this.#settledAt < SETTLE_MS) return;
    this.#settledAt = now;
    for (const running of this.#running) take(running);
  }
}

const itself = (name: string): string => name;

function take(running: Running): void {
  const { bytesIn, bytesOut } = running.progress();
  for (const meter of running.meters) meter.take(bytesIn - running.bytesIn, bytesOut - running.bytesOut);
  running.bytesIn = bytesIn;
  running.bytesOut = bytesOut;
}
