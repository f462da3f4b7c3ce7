import type { AccessToken, TokenCredential } from '@azure/identity';
import type { AzureCredential } from './options.ts';

type IdentityCredential = Extract<AzureCredential, { kind: 'default' | 'workloadIdentity' | 'managedIdentity' | 'clientSecret' }>;

/**
 * A credential of `@azure/identity`. The library is loaded with the first token, so that stores
 * with an account key start without it.
 */
export function tokenCredential(options: IdentityCredential, ca: string | undefined): TokenCredential {
  let created: Promise<TokenCredential> | undefined;
  return {
    async getToken(scopes, getOptions) {
      created ??= createCredential(options, ca);
      return (await created).getToken(scopes, getOptions);
    },
  };
}

async function createCredential(options: IdentityCredential, ca: string | undefined): Promise<TokenCredential> {
  const identity = await import('@azure/identity');
  const shared = {
    ...(options.authorityHost === undefined ? {} : { authorityHost: options.authorityHost }),
    ...(options.validateAuthority === false ? { disableInstanceDiscovery: true } : {}),
    ...(ca === undefined ? {} : { tlsOptions: { ca } }),
  };
  const tenant = options.tenantId === undefined ? {} : { tenantId: options.tenantId };
  const client = options.clientId === undefined ? {} : { clientId: options.clientId };
  switch (options.kind) {
    case 'default':
      return new identity.DefaultAzureCredential({
        ...shared,
        ...tenant,
        ...(options.clientId === undefined ? {} : { managedIdentityClientId: options.clientId, workloadIdentityClientId: options.clientId }),
      });
    case 'workloadIdentity':
      return new identity.WorkloadIdentityCredential({
        ...shared,
        ...tenant,
        ...client,
        ...(options.tokenFile === undefined ? {} : { tokenFilePath: options.tokenFile }),
      });
    case 'managedIdentity':
      return new identity.ManagedIdentityCredential({ ...shared, ...client });
    case 'clientSecret':
      if (options.tenantId === undefined) throw new Error('clientSecret: tenantId is needed');
      return new identity.ClientSecretCredential(options.tenantId, options.clientId, options.clientSecret, shared);
  }
}

/** A token is renewed this long before it expires; until then a failed renewal is no failure of the call. */
const RENEW_AHEAD = 5 * 60_000;
/** After a failed renewal a token that is still good is used this long before the next attempt. */
const RENEW_PAUSE = 10_000;

/** Keeps the current token at hand, so that a call costs a comparison and not a walk through the library. */
export class TokenSource {
  readonly #credential: TokenCredential;
  readonly #scope: string;
  #token: AccessToken | undefined;
  #renewal: Promise<AccessToken> | undefined;
  #renewNotBefore = 0;

  constructor(credential: TokenCredential, scope: string) {
    this.#credential = credential;
    this.#scope = scope;
  }

  /** The token if it is fresh, else a promise of the next one. */
  current(): string | Promise<string> {
    const token = this.#token;
    const now = Date.now();
    if (token === undefined || now >= token.expiresOnTimestamp) return this.#renew().then((next) => next.token);
    if (now >= renewalTime(token) && now >= this.#renewNotBefore) this.#renew().catch(() => undefined);
    return token.token;
  }

  #renew(): Promise<AccessToken> {
    this.#renewNotBefore = Date.now() + RENEW_PAUSE;
    this.#renewal ??= this.#fetch().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #fetch(): Promise<AccessToken> {
    const token = await this.#credential.getToken(this.#scope);
    if (token === null) throw new Error('the credential gave no token');
    this.#token = token;
    return token;
  }
}

function renewalTime(token: AccessToken): number {
  return token.refreshAfterTimestamp ?? token.expiresOnTimestamp - RENEW_AHEAD;
}
