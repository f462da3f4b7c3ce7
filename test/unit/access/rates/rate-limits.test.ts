import { describe, expect, it } from 'vitest';
import type { Principal } from '../../../../src/access/accounts.ts';
import type { Rates } from '../../../../src/access/identities/identities.ts';
import { type CountedRequest, type Counted, RateLimits } from '../../../../src/access/rates/rate-limits.ts';
import { S3Error } from '../../../../src/errors/s3-error.ts';

const account = {
  name: 'main',
  canonicalId: 'main-id',
  displayName: 'main',
  email: 'm@example.com',
  accountNumber: '1',
};
const ROOT: Principal = { kind: 'account', account, accessKeyId: 'root' };
const USER: Principal = { ...ROOT, user: { name: 'u', arn: 'arn:u' }, accessKeyId: 'u' };
const OTHER: Principal = { ...ROOT, user: { name: 'v', arn: 'arn:v' }, accessKeyId: 'v' };
const NOBODY: Principal = { kind: 'anonymous' };

interface Setup {
  readonly of?: Readonly<Record<string, Rates>>;
  readonly buckets?: Readonly<Record<string, Rates>>;
  readonly anonymous?: Rates;
}

function limits({ of = {}, buckets = {}, anonymous }: Setup) {
  const clock = { now: 0 };
  const refused: string[] = [];
  const rates = new RateLimits({
    accounts: { ratesOf: (id) => of[id] },
    anonymous,
    ofBucket: (name) => buckets[name],
    meant: (name) => name.replace(/^alias-/, ''),
    onRefused: (scope, limit) => refused.push(`${scope} ${limit}`),
    now: () => clock.now,
  });
  const flow = { bytesIn: 0, bytesOut: 0 };
  const admit = (
    who: Principal,
    bucket?: string,
    progress = () => ({ ...flow }),
  ): CountedRequest | string | undefined => {
    try {
      return rates.admit(counted(who, bucket), progress);
    } catch (error) {
      if (!(error instanceof S3Error)) throw error;
      return `${error.code} ${error.headers['retry-after'] ?? ''}`;
    }
  };
  return { admit, clock, refused, flow };
}

const counted = (sender: Principal, ...buckets: readonly (string | undefined)[]): Counted => ({
  sender,
  buckets: buckets.filter((name) => name !== undefined),
});

const counts = (results: readonly (CountedRequest | string | undefined)[]): number =>
  results.filter((result) => typeof result !== 'string').length;

describe('limits of rates', () => {
  it('nobody is limited who has no limits', () => {
    const { admit } = limits({});
    expect(counts(Array.from({ length: 1000 }, () => admit(USER, 'b')))).toBe(1000);
  });

  it('a bucket has one limit under all of its names', () => {
    const { admit } = limits({ buckets: { b: { requestsPerSecond: 4 }, 'alias-b': { requestsPerSecond: 100 } } });
    const results = Array.from({ length: 10 }, (_none, at) => admit(USER, at % 2 === 0 ? 'b' : 'alias-b'));
    expect(counts(results)).toBe(4);
  });

  it("requests a second: a second's worth at once, then as they come", () => {
    const { admit, clock, refused } = limits({ of: { 'arn:u': { requestsPerSecond: 10 } } });
    const first = Array.from({ length: 15 }, () => admit(USER));
    expect([counts(first), first.at(-1)]).toEqual([10, 'SlowDown 1']);
    expect(refused).toEqual(Array(5).fill('identity requests'));
    clock.now += 500;
    expect(counts(Array.from({ length: 15 }, () => admit(USER)))).toBe(5);
    clock.now += 3600_000;
    expect(counts(Array.from({ length: 15 }, () => admit(USER)))).toBe(10);
    expect(typeof admit(OTHER)).toBe('undefined');
  });

  it('concurrency: what ends makes room, once', () => {
    const { admit } = limits({ buckets: { b: { concurrency: 2 } } });
    const [one] = [admit(ROOT, 'b'), admit(USER, 'b')] as CountedRequest[];
    expect([admit(NOBODY, 'b'), typeof admit(NOBODY, 'c')]).toEqual(['SlowDown 1', 'undefined']);
    one?.end();
    one?.end();
    expect([typeof admit(NOBODY, 'b'), admit(NOBODY, 'b')]).toEqual(['object', 'SlowDown 1']);
  });

  it('bytes: a body that took too much is waited for, also while it flows', () => {
    const { admit, clock, flow } = limits({ of: { 'main-id': { bytesInPerSecond: 100 } } });
    const running = admit(USER) as CountedRequest;
    flow.bytesIn = 1000;
    clock.now += 1000;
    expect(admit(OTHER, undefined, () => ({ bytesIn: 0, bytesOut: 0 }))).toBe('SlowDown 9');
    clock.now += 5000;
    expect(admit(OTHER, undefined, () => ({ bytesIn: 0, bytesOut: 0 }))).toBe('SlowDown 4');
    running.end();
    clock.now += 4100;
    expect(typeof admit(OTHER, undefined, () => ({ bytesIn: 0, bytesOut: 0 }))).toBe('object');
  });

  it('bytes out, and a wait that is bounded', () => {
    const { admit, flow } = limits({ anonymous: { bytesOutPerSecond: 10 } });
    const running = admit(NOBODY) as CountedRequest;
    flow.bytesOut = 1_000_000;
    running.end();
    expect([admit(NOBODY), typeof admit(ROOT)]).toEqual(['SlowDown 60', 'undefined']);
  });

  it('all that apply must have room, and what is refused takes nothing', () => {
    const { admit, refused } = limits({
      of: { 'main-id': { requestsPerSecond: 5 }, 'arn:u': { requestsPerSecond: 2 } },
      buckets: { b: { requestsPerSecond: 1 } },
    });
    expect(counts([admit(USER, 'b'), admit(USER, 'b'), admit(USER, 'b')])).toBe(1);
    expect(counts([admit(USER), admit(USER)])).toBe(1);
    expect(counts([admit(OTHER), admit(ROOT), admit(ROOT), admit(ROOT)])).toBe(3);
    expect(refused).toEqual(['bucket requests', 'bucket requests', 'identity requests', 'account requests']);
  });

  it('a session of a role counts to the role, whatever it is called', () => {
    const { admit } = limits({ of: { 'arn:role': { concurrency: 1 } } });
    const session = (name: string): Principal => ({
      ...ROOT,
      user: { name, arn: `arn:sts:${name}` },
      session: { role: { name: 'r', arn: 'arn:role' }, issuedAt: 0, expiresAt: 1 },
      accessKeyId: name,
    });
    expect([typeof admit(session('a')), admit(session('b'))]).toEqual(['object', 'SlowDown 1']);
  });

  describe('a request of which more becomes known', () => {
    const form = { of: { 'arn:u': { requestsPerSecond: 2 } }, anonymous: { requestsPerSecond: 2, concurrency: 1 } };

    it('counts for its sender, and no longer for the one that it seemed to have', () => {
      const { admit } = limits(form);
      const first = admit(NOBODY) as CountedRequest;
      expect(admit(NOBODY)).toBe('SlowDown 1');
      first.again(counted(USER));
      const second = admit(NOBODY) as CountedRequest;
      second.again(counted(USER));
      expect(admit(USER)).toBe('SlowDown 1');
      const third = admit(NOBODY) as CountedRequest;
      expect(() => third.again(counted(USER))).toThrow('reduce your request rate');
      expect(admit(NOBODY), 'what was refused goes on counting where it did').toBe('SlowDown 1');
      third.end();
      expect(typeof admit(NOBODY)).toBe('object');
    });

    it('counts on each limit once, and on those that it was counted on alone', () => {
      const { admit } = limits({ buckets: { a: { requestsPerSecond: 2 }, b: { concurrency: 1 } } });
      const copy = admit(USER, 'a') as CountedRequest;
      copy.again(counted(USER, 'a', 'b'));
      copy.again(counted(USER, 'a', 'alias-b', 'b'));
      expect([admit(USER, 'b'), typeof admit(USER, 'a'), admit(USER, 'a')]).toEqual([
        'SlowDown 1',
        'object',
        'SlowDown 1',
      ]);
      copy.end();
      expect(typeof admit(USER, 'b')).toBe('object');
    });

    it('counts nowhere when it is over already', () => {
      const { admit } = limits({ buckets: { a: { concurrency: 1 }, b: { concurrency: 1 } } });
      const copy = admit(USER, 'a') as CountedRequest;
      copy.end();
      copy.again(counted(USER, 'a', 'b'));
      expect([typeof admit(USER, 'a'), typeof admit(USER, 'b')]).toEqual(['object', 'object']);
    });

    it('leaves its bytes where they were counted', () => {
      const { admit, flow } = limits({
        of: { 'arn:u': { bytesInPerSecond: 10 } },
        anonymous: { bytesInPerSecond: 10 },
      });
      const one = admit(NOBODY) as CountedRequest;
      flow.bytesIn = 5;
      one.again(counted(USER));
      flow.bytesIn = 25;
      one.end();
      expect([admit(USER), typeof admit(NOBODY)]).toEqual(['SlowDown 2', 'object']);
    });
  });

  it('a clock that steps back gives nothing and takes nothing', () => {
    const { admit, clock } = limits({ of: { 'arn:u': { requestsPerSecond: 1 } } });
    admit(USER);
    clock.now -= 10_000;
    expect(admit(USER)).toBe('SlowDown 1');
  });
});
