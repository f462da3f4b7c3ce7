import { S3Error } from '../../errors/s3-error.ts';
import type { AccountDirectory } from '../accounts.ts';
import type { Rates } from '../identities/identities.ts';
import { type Limit, Meter } from './meter.ts';

/** Whose limit it is. */
export type LimitOwner = 'account' | 'identity' | 'anonymous' | 'bucket';

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
  readonly onRefused?: (scope: LimitOwner, limit: Limit) => void;
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
}

/** Who sends a request: any principal, or a role whose session is about to be made. */
export type Sender =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'account';
      readonly account: { readonly canonicalId: string };
      readonly user?: { readonly arn: string };
      readonly session?: { readonly role?: { readonly arn: string } };
    };

/** Whose limits a request counts against. */
export interface Counted {
  readonly sender: Sender;
  /** Names of all buckets that it works on: its own, and the one that it copies from. */
  readonly buckets: readonly string[];
}

/** A request that counts. */
export interface CountedRequest {
  /**
   * Counts the request against others from now on, because more of it is known: who signed the form in its body, which
   * bucket it copies from. Limits that it counts against already are not asked again. Of those that are no longer its
   * own it gives back what it took, except for bytes. @throws S3Error SlowDown: nothing has changed
   */
  again(counted: Counted): void;
  /** To be called when the request is over. */
  end(): void;
}

interface Running {
  meters: readonly Meter[];
  over: boolean;
  readonly progress: Progress;
  bytesIn: number;
  bytesOut: number;
}

interface Claimed {
  readonly scope: LimitOwner;
  readonly name: string;
  readonly rates: Rates;
}

/** Names come from clients: more meters than this are looked through for idle ones. */
const MANY_METERS = 10_000;
/** Bytes that flow are taken this often at most. */
const SETTLE_MS = 50;

/**
 * Limits of rates: of an account with all who act in it, of a user or role with all its keys and sessions, of whoever
 * did not sign, and of a bucket. All that apply must have room, and a request counts on each once. Each process counts
 * its own.
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
   * @returns undefined when no limit applies to it so far
   * @throws S3Error SlowDown, with Retry-After
   */
  admit(counted: Counted, progress: Progress): CountedRequest | undefined {
    const meters = this.#enter(counted, []);
    if (meters.length === 0) return undefined;
    const running: Running = { meters, over: false, progress, bytesIn: 0, bytesOut: 0 };
    this.#running.add(running);
    return {
      again: (others) => {
        if (!running.over) this.#recount(running, others);
      },
      end: () => {
        if (running.over) return;
        running.over = true;
        this.#running.delete(running);
        take(running);
        for (const meter of running.meters) meter.end();
      },
    };
  }

  #recount(running: Running, counted: Counted): void {
    const before = running.meters;
    const after = this.#enter(counted, before);
    take(running);
    for (const meter of before) if (!after.includes(meter)) meter.giveBack();
    running.meters = after;
  }

  /** Begins on all meters but those that the request is on already. @throws S3Error SlowDown */
  #enter(counted: Counted, already: readonly Meter[]): Meter[] {
    const claimed = this.#claimed(counted);
    if (claimed.length === 0) return [];
    const now = this.#now();
    this.#settle(now);
    const meters = claimed.map((one) => this.#meter(one, now));
    for (const [at, { scope }] of claimed.entries()) {
      const meter = meters[at];
      if (meter === undefined || already.includes(meter)) continue;
      const refusal = meter.refusal(now);
      if (refusal === undefined) continue;
      this.#options.onRefused?.(scope, refusal.limit);
      throw new S3Error('SlowDown', { headers: { 'retry-after': String(refusal.retryAfter) } });
    }
    for (const meter of meters) if (!already.includes(meter)) meter.begin();
    return meters;
  }

  #claimed({ sender, buckets }: Counted): Claimed[] {
    const { accounts, anonymous, ofBucket, meant = itself } = this.#options;
    const claimed: Claimed[] = [];
    const claim = (scope: LimitOwner, name: string, rates: Rates | undefined): void => {
      if (rates !== undefined) claimed.push({ scope, name, rates });
    };
    if (sender.kind === 'anonymous') {
      claim('anonymous', '', anonymous);
    } else {
      const { account, user, session } = sender;
      const identity = session?.role?.arn ?? user?.arn;
      claim('account', account.canonicalId, accounts.ratesOf(account.canonicalId));
      if (identity !== undefined) claim('identity', identity, accounts.ratesOf(identity));
    }
    for (const name of buckets) {
      const own = meant(name);
      if (!claimed.some((one) => one.scope === 'bucket' && one.name === own)) claim('bucket', own, ofBucket(own));
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
