import { hash, timingSafeEqual } from 'node:crypto';

/** `unknown`: the service that could tell does not answer. */
export type TokenVerdict = 'right' | 'wrong' | 'unknown';

/** Decides about tokens. */
export interface TokenCheck {
  /** @param source who shows it, so that one alone cannot take all there is; absent: nobody in particular */
  verify(token: string, source?: string): Promise<TokenVerdict>;
}

/**
 * Tokens of the configuration. Digests are compared, all of them and in constant time: neither length nor content
 * shows.
 * @param current asked each time, so that tokens can be replaced
 */
export function fixedTokens(current: () => readonly string[]): TokenCheck {
  return {
    async verify(token) {
      const given = digest(token);
      const matches = current().map((known) => timingSafeEqual(digest(known), given));
      return matches.includes(true) ? 'right' : 'wrong';
    },
  };
}

/** Right when one of them says so. */
export function anyOf(checks: readonly TokenCheck[]): TokenCheck {
  return {
    async verify(token, source) {
      let verdict: TokenVerdict = 'wrong';
      for (const check of checks) {
        const one = await check.verify(token, source);
        if (one === 'right') return one;
        if (one === 'unknown') verdict = one;
      }
      return verdict;
    },
  };
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
