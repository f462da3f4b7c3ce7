import { type JSONWebKeySet, type JWTVerifyGetKey, createLocalJWKSet } from 'jose';
import type { IdentityProvider } from '../identities/identities.ts';
import { askBounded } from '../../streams/bounded-http.ts';

const MIN_AGE_MS = 60_000;
const MAX_AGE_MS = 24 * 3600_000;
const DEFAULT_AGE_MS = 600_000;
/** While an issuer does not answer, its keys hold this much longer. */
const STALE_MS = 3600_000;
/** Strangers can name keys that do not exist: for those the issuer is asked this often, and after a failure as well. */
const COOLDOWN_MS = 10_000;

interface Kept {
  readonly keys: JWTVerifyGetKey;
  readonly freshUntil: number;
}

interface KeysWanted {
  /** The keys that are known are not enough: perhaps there are new ones. */
  readonly anew: boolean;
  readonly now: number;
}

/**
 * The keys of one issuer: asked for when they are needed, once at a time, and kept as long as the issuer says, within
 * bounds.
 */
export class IssuerKeys {
  readonly #provider: IdentityProvider;
  #kept: Kept | undefined;
  #asking: Promise<Kept> | undefined;
  #askedAt = -Infinity;
  #failure: unknown;

  constructor(provider: IdentityProvider) {
    this.#provider = provider;
    if (provider.jwks !== undefined) {
      this.#kept = { keys: createLocalJWKSet(JSON.parse(provider.jwks) as JSONWebKeySet), freshUntil: Infinity };
    }
  }

  /** @throws Error when the issuer does not answer, or not as it must */
  async keys({ anew, now }: KeysWanted): Promise<JWTVerifyGetKey> {
    const kept = this.#kept;
    if (kept !== undefined && now < kept.freshUntil && !anew) return kept.keys;
    if (this.#provider.jwks !== undefined && kept !== undefined) return kept.keys;
    if (this.#asking === undefined && now - this.#askedAt < COOLDOWN_MS) return this.#settleFor(now, this.#failure);
    try {
      this.#asking ??= this.#ask(now);
      return (await this.#asking).keys;
    } catch (error) {
      return this.#settleFor(now, error);
    }
  }

  #settleFor(now: number, failure: unknown): JWTVerifyGetKey {
    if (this.#kept !== undefined && now < this.#kept.freshUntil + STALE_MS) return this.#kept.keys;
    throw failure instanceof Error ? failure : new Error('the keys of the issuer are not known');
  }

  async #ask(now: number): Promise<Kept> {
    this.#askedAt = now;
    try {
      const { keys, maxAge } = await this.#fetch();
      const ageMs = maxAge === undefined ? DEFAULT_AGE_MS : Math.min(MAX_AGE_MS, Math.max(MIN_AGE_MS, maxAge * 1000));
      this.#kept = { keys, freshUntil: now + ageMs };
      this.#failure = undefined;
      return this.#kept;
    } catch (error) {
      this.#failure = error;
      throw error;
    } finally {
      this.#asking = undefined;
    }
  }

  /** Not ended by a client who leaves: others wait for the same answer. */
  async #fetch(): Promise<{ keys: JWTVerifyGetKey; maxAge: number | undefined }> {
    const { issuer, jwksUri, ca, token } = this.#provider;
    const base = trustworthyUrl(issuer);
    const options: GetOptions = { ca, bearer: token?.(), signal: new AbortController().signal };
    const named = jwksUri ?? (await discover(base, issuer, options));
    const url = trustworthyUrl(named);
    // Its discovery document may name any host; the token is for the issuer and for what the configuration names.
    const isOurs = jwksUri !== undefined || url.origin === base.origin;
    const { body, maxAge } = await getJson(url, isOurs ? options : { ...options, bearer: undefined });
    return { keys: createLocalJWKSet(body as JSONWebKeySet), maxAge };
  }
}

/** https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig */
async function discover(base: URL, issuer: string, options: GetOptions): Promise<string> {
  const { body } = await getJson(new URL(`${base.href.replace(/\/$/, '')}/.well-known/openid-configuration`), options);
  const { issuer: named, jwks_uri: uri } = (typeof body === 'object' && body !== null ? body : {}) as Readonly<
    Record<string, unknown>
  >;
  if (named !== issuer) throw new Error(`${base.origin} says that it is a different issuer`);
  if (typeof uri !== 'string') throw new Error(`${base.origin} does not say where its keys are`);
  return uri;
}

const TIMEOUT_MS = 5000;
/** Kubernetes answers 406 if a request accepts JSON alone: its keys are of the other type. */
const ACCEPT = 'application/json, application/jwk-set+json, */*;q=0.1';
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

interface GetOptions {
  /** PEM of the authorities that count; undefined: the system's. */
  readonly ca?: string | undefined;
  readonly bearer?: string | undefined;
  readonly signal: AbortSignal;
}

interface Got {
  readonly body: unknown;
  /** `max-age` of the answer, seconds. */
  readonly maxAge: number | undefined;
}

/** @throws Error unless it is https, or http to this machine */
function trustworthyUrl(text: string): URL {
  const url = new URL(text);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname))) return url;
  throw new Error(`${url.origin}: expected https`);
}

/**
 * A JSON document of an issuer: in five seconds and 256 KiB or not at all, and from nowhere else than asked (no
 * redirects).
 * @throws Error
 */
async function getJson(url: URL, { ca, bearer, signal }: GetOptions): Promise<Got> {
  const { status, headers, body } = await askBounded(url, {
    method: 'GET',
    headers: {
      accept: ACCEPT,
      'user-agent': 's3-cloud-gateway',
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    },
    ca,
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  if (status !== 200) throw new Error(`${url.origin} answers ${status}`);
  const maxAge = /(?:^|[,\s])max-age=(\d{1,9})/i.exec(headers['cache-control'] ?? '')?.[1];
  return { body: parsed(url, body), maxAge: maxAge === undefined ? undefined : Number(maxAge) };
}

function parsed(url: URL, body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new Error(`the answer of ${url.origin} is no JSON`, { cause: error });
  }
}
