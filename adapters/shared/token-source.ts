/** Times in milliseconds since the epoch. */
export interface BearerToken {
  readonly token: string;
  readonly expiresOnTimestamp: number;
  /** When to renew the token, if its issuer says so. */
  readonly refreshAfterTimestamp?: number | undefined;
}

/** A token is renewed this long before it expires; until then a failed renewal is no failure of the call. */
const RENEW_AHEAD = 5 * 60_000;
/** After a failed renewal a token that is still good is used this long before the next attempt. */
const RENEW_PAUSE = 10_000;

/** Keeps the current token, so that a call costs one comparison instead of a call of the library. */
export class TokenSource {
  readonly #ask: () => Promise<BearerToken>;
  #token: BearerToken | undefined;
  #renewal: Promise<BearerToken> | undefined;
  #renewNotBefore = 0;

  /** @param ask fetches a new token from wherever it comes */
  constructor(ask: () => Promise<BearerToken>) {
    this.#ask = ask;
  }

  /** The token if it is fresh, else a promise of the next one. */
  current(): string | Promise<string> {
    const token = this.#token;
    const now = Date.now();
    if (token === undefined || now >= token.expiresOnTimestamp) return this.#renew().then((next) => next.token);
    if (now >= renewalTime(token) && now >= this.#renewNotBefore) this.#renew().catch(() => undefined);
    return token.token;
  }

  #renew(): Promise<BearerToken> {
    this.#renewNotBefore = Date.now() + RENEW_PAUSE;
    this.#renewal ??= this.#fetch().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #fetch(): Promise<BearerToken> {
    this.#token = await this.#ask();
    return this.#token;
  }
}

function renewalTime(token: BearerToken): number {
  return token.refreshAfterTimestamp ?? token.expiresOnTimestamp - RENEW_AHEAD;
}
