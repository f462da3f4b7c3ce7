import type { Config } from '../../config/schema.ts';
import type { AccountDirectory } from '../access/accounts.ts';
import type { Limit } from '../access/rates/meter.ts';
import { RateLimits, type LimitOwner } from '../access/rates/rate-limits.ts';
import type { Readings } from '../observe/metrics/process-metrics.ts';
import { aliasesOf, toRegExp } from './bucket-rules.ts';

/** The limits of a configuration, and how often each was met. */
export function openRateLimits(
  { rates, buckets: { aliases } }: Pick<Config, 'rates' | 'buckets'>,
  accounts: AccountDirectory,
): { readonly limits: RateLimits; readonly readings: Readings } {
  const rules = rates.buckets.map(({ pattern, ...rest }) => ({ matches: toRegExp(pattern), rates: rest }));
  const aliasOf = aliasesOf(aliases);
  const refused = new Map<string, { readonly scope: LimitOwner; readonly limit: Limit; count: number }>();
  const limits = new RateLimits({
    accounts,
    anonymous: rates.anonymous,
    meant: (name) => aliasOf(name) ?? name,
    ofBucket: (name) => rules.find(({ matches }) => matches.test(name))?.rates,
    onRefused: (scope, limit) => {
      const known = refused.get(`${scope} ${limit}`) ?? { scope, limit, count: 0 };
      known.count += 1;
      refused.set(`${scope} ${limit}`, known);
    },
  });
  return {
    limits,
    readings: {
      s3gw_rate_limited: () => [...refused.values()].map(({ scope, limit, count }) => [count, { scope, limit }]),
    },
  };
}
