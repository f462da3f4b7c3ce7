import { RateLimits } from '../../../src/access/rates/rate-limits.ts';
import type { Rates } from '../../../src/access/identities/identities.ts';

/** One limit, into which nothing fits unless `concurrency` says what does. */
export type Limited = { readonly concurrency?: number } & (
  | { /** Canonical id. */ readonly account: string }
  | { /** ARN of a user or role. */ readonly identity: string }
  | { readonly anonymous: true }
  | { readonly bucket: string }
);

/** The limits that hold at the moment, by what they are of. */
const inForce = new Map<string, Rates>();
const ANONYMOUS = '';

/** From now on these limits hold, and no others. */
export function limited(...all: readonly Limited[]): void {
  inForce.clear();
  for (const { concurrency = 0, ...of } of all) inForce.set(nameOf(of), { concurrency });
}

function nameOf(of: Limited): string {
  if ('anonymous' in of) return ANONYMOUS;
  return 'account' in of ? of.account : 'identity' in of ? of.identity : of.bucket;
}

/** For a gateway whose limits change while it runs. */
export const limits = new RateLimits({
  accounts: { ratesOf: (id) => inForce.get(id) },
  get anonymous() {
    return inForce.get(ANONYMOUS);
  },
  ofBucket: (name) => inForce.get(name),
});
