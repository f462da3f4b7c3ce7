import { hash } from 'node:crypto';
import type { NamingCheck, TokenVerdict } from './token-check.ts';
import { keepNewest, keepNewestName } from '../../observe/bounded-map.ts';

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
/**
 * Calls under way. Strangers can send any number of tokens, each of which costs a call: one of them has a few places at
 * a time, all of them together not all there are. The rest is for tokens that were right before.
 */
const MAX_CALLS = 6;
const MAX_STRANGERS_CALLS = 4;
const MAX_CALLS_OF_SOURCE = 2;
/** A token that is wrong now may be right soon. */
const REMEMBER_WRONG_MS = 2000;

interface Remembered {
  readonly verdict: Promise<TokenVerdict>;
  /** By the monotonic clock: one that is set back would keep a token that was withdrawn. */
  readonly until: number;
}

/**
 * Tokens of the cluster: the API server says whose a token is (TokenReview), the configuration who is let in. Verdicts
 * are remembered for a short while by the token's digest; the number of calls under way and of verdicts is bounded.
 */
export function tokenReview(options: TokenReviewOptions): NamingCheck {
  const remembered = new Map<string, Remembered>();
  /** User names of tokens that were right, by the tokens' digests. */
  const subjects = new Map<string, string>();
  const places = new Places();
  /** Digests of tokens that were right once. Apart from the verdicts, which made-up tokens push out. */
  const wereRight = new Set<string>();

  async function ask(token: string, free: () => void): Promise<TokenVerdict> {
    try {
      const reviewed = await options.review(token, options.audiences, AbortSignal.timeout(TIMEOUT_MS));
      if (!isLetIn(reviewed, options)) return 'wrong';
      keepNewest(subjects, digestOf(token), reviewed.username, MAX_REMEMBERED);
      return 'right';
    } catch (error) {
      options.onError?.(error);
      return 'unknown';
    } finally {
      free();
    }
  }

  return {
    subjectOf: (token) => subjects.get(digestOf(token)),
    async verify(token, source = '') {
      const name = digestOf(token);
      const known = remembered.get(name);
      if (known !== undefined && known.until > performance.now()) return known.verdict;
      const free = places.take(source, wereRight.has(name));
      if (free === undefined) return 'unknown';
      const asked = ask(token, free);
      remembered.delete(name);
      remembered.set(name, { verdict: asked, until: performance.now() + TIMEOUT_MS });
      if (remembered.size > MAX_REMEMBERED) forget(remembered, wereRight);
      const verdict = await asked;
      if (verdict !== 'unknown') note(wereRight, name, verdict);
      const holds = verdict === 'right' ? options.rememberMs : Math.min(options.rememberMs, REMEMBER_WRONG_MS);
      if (remembered.get(name)?.verdict === asked) {
        remembered.set(name, { verdict: asked, until: verdict === 'unknown' ? 0 : performance.now() + holds });
      }
      return verdict;
    },
  };
}

function digestOf(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Moves a token that was right to the end of the set, takes one that was wrong out. */
function note(wereRight: Set<string>, name: string, verdict: 'right' | 'wrong'): void {
  if (verdict === 'wrong') wereRight.delete(name);
  else keepNewestName(wereRight, name, MAX_REMEMBERED / 2);
}

/** The oldest verdict goes, one about a made-up token if there is any. */
function forget(remembered: Map<string, Remembered>, wereRight: ReadonlySet<string>): void {
  for (const name of remembered.keys()) {
    if (wereRight.has(name)) continue;
    remembered.delete(name);
    return;
  }
}

/** Calls under way, and whose they are. */
class Places {
  #taken = 0;
  #strangers = 0;
  readonly #ofSource = new Map<string, number>();

  /** @returns what gives the place back; undefined when there is none */
  take(source: string, isKnown: boolean): (() => void) | undefined {
    const own = this.#ofSource.get(source) ?? 0;
    if (this.#taken >= MAX_CALLS) return undefined;
    if (!isKnown && (this.#strangers >= MAX_STRANGERS_CALLS || own >= MAX_CALLS_OF_SOURCE)) return undefined;
    this.#count(source, isKnown, 1);
    return () => this.#count(source, isKnown, -1);
  }

  #count(source: string, isKnown: boolean, by: 1 | -1): void {
    this.#taken += by;
    if (isKnown) return;
    this.#strangers += by;
    const own = (this.#ofSource.get(source) ?? 0) + by;
    if (own === 0) this.#ofSource.delete(source);
    else this.#ofSource.set(source, own);
  }
}

function isLetIn({ authenticated, username, groups, audiences }: ReviewedToken, allowed: TokenReviewOptions): boolean {
  if (!authenticated) return false;
  if (allowed.audiences.length > 0 && !allowed.audiences.some((audience) => audiences.includes(audience))) return false;
  return allowed.users.includes(username) || groups.some((group) => allowed.groups.includes(group));
}
