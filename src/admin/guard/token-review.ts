import { hash } from 'node:crypto';
import type { TokenCheck, TokenVerdict } from './token-check.ts';

/** Whom a Kubernetes token belongs to, as far as it matters here. */
export interface ReviewedToken {
  readonly authenticated: boolean;
  readonly username: string;
  readonly groups: readonly string[];
  /** Those asked for that the token is good for. */
  readonly audiences: readonly string[];
}

export interface TokenReviewOptions {
  /** Asks the API server. Rejects when it does not answer, or refuses to say. */
  readonly review: (token: string, audiences: readonly string[], signal: AbortSignal) => Promise<ReviewedToken>;
  /** One of them must be the token's; empty: the API server's own. */
  readonly audiences: readonly string[];
  /** User names and groups that are let in; one of them must fit. */
  readonly users: readonly string[];
  readonly groups: readonly string[];
  /** How long a verdict holds, milliseconds. */
  readonly rememberMs: number;
  readonly onError?: (error: unknown) => void;
}

const TIMEOUT_MS = 5000;
const MAX_REMEMBERED = 256;
/** Strangers can send any number of tokens, each of which costs a call. */
const MAX_CALLS = 4;
/** A token that is wrong now may be right soon. */
const REMEMBER_WRONG_MS = 2000;

interface Remembered {
  readonly verdict: Promise<TokenVerdict>;
  readonly until: number;
}

/**
 * Tokens of the cluster: the API server says whose a token is (TokenReview), the configuration who is let in. Verdicts are
 * remembered for a short while by the token's digest; the number of calls under way and of verdicts is bounded.
 */
export function tokenReview(options: TokenReviewOptions): TokenCheck {
  const remembered = new Map<string, Remembered>();
  let calls = 0;

  async function ask(token: string): Promise<TokenVerdict> {
    calls += 1;
    try {
      const reviewed = await options.review(token, options.audiences, AbortSignal.timeout(TIMEOUT_MS));
      return isLetIn(reviewed, options) ? 'right' : 'wrong';
    } catch (error) {
      options.onError?.(error);
      return 'unknown';
    } finally {
      calls -= 1;
    }
  }

  return {
    async verify(token) {
      const name = hash('sha256', token, 'hex');
      const known = remembered.get(name);
      if (known !== undefined && known.until > Date.now()) return known.verdict;
      if (calls >= MAX_CALLS) return 'unknown';
      const asked = ask(token);
      remembered.delete(name);
      remembered.set(name, { verdict: asked, until: Date.now() + TIMEOUT_MS });
      if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value ?? '');
      const verdict = await asked;
      const holds = verdict === 'right' ? options.rememberMs : Math.min(options.rememberMs, REMEMBER_WRONG_MS);
      if (remembered.get(name)?.verdict === asked) remembered.set(name, { verdict: asked, until: verdict === 'unknown' ? 0 : Date.now() + holds });
      return verdict;
    },
  };
}

function isLetIn({ authenticated, username, groups, audiences }: ReviewedToken, allowed: TokenReviewOptions): boolean {
  if (!authenticated) return false;
  if (allowed.audiences.length > 0 && !allowed.audiences.some((audience) => audiences.includes(audience))) return false;
  return allowed.users.includes(username) || groups.some((group) => allowed.groups.includes(group));
}
