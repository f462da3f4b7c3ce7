import { hash, timingSafeEqual } from 'node:crypto';
import { fingerprint } from '../../observe/redact.ts';

/** `unknown`: the service that could tell does not answer. */
export type TokenVerdict = 'right' | 'wrong' | 'unknown';

/** Decides about tokens. */
export interface TokenCheck {
  /** @param source who shows it, so that one alone cannot take all there is; absent: nobody in particular */
  verify(token: string, source?: string): Promise<TokenVerdict>;
}

/** Decides about tokens, and says whose the right ones are: what they do is recorded. */
export interface NamingCheck extends TokenCheck {
  /** Of a token that was right a moment ago: a user name, or a mark of the token that does not give it away. */
  subjectOf(token: string): string | undefined;
}

/**
 * Tokens of the configuration. Digests are compared, all of them and in constant time: neither length nor content
 * shows.
 * @param current asked each time, so that tokens can be replaced
 */
export function fixedTokens(current: () => readonly string[]): NamingCheck {
  const isRight = (token: string): boolean => {
    const given = digest(token);
    return current()
      .map((known) => timingSafeEqual(digest(known), given))
      .includes(true);
  };
  return {
    verify: async (token) => (isRight(token) ? 'right' : 'wrong'),
    subjectOf: (token) => (isRight(token) ? `token ${fingerprint(token)}` : undefined),
  };
}

/** Right when one of them says so. */
export function anyOf(checks: readonly NamingCheck[]): NamingCheck {
  return {
    subjectOf: (token) => checks.map((check) => check.subjectOf(token)).find((subject) => subject !== undefined),
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

/** The check, which is not asked about tokens that others know already: for it they are wrong. */
export function notAmong(known: readonly TokenCheck[], check: NamingCheck): NamingCheck {
  return {
    subjectOf: (token) => check.subjectOf(token),
    async verify(token, source) {
      const verdicts = await Promise.all(known.map((one) => one.verify(token, source)));
      return verdicts.includes('right') ? 'wrong' : check.verify(token, source);
    },
  };
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
