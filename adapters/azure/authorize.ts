import { StoreError } from '../../src/store/store-error.ts';
import { TokenSource } from '../shared/token-source.ts';
import { type Access, type AzureIdentity, fetchToken, resolveAccess } from './credentials.ts';
import type { AzureRequest } from './request.ts';
import { signSharedKey, sharedKeyText } from './shared-key.ts';

/** Authorises requests to the service. */
export interface Authorizer {
  /** Query to be added to the target, without `?`; empty for most. */
  readonly query: string;
  /** Value of `Authorization`; undefined when the query is the proof. */
  header(request: AzureRequest, headers: readonly string[], size: number): string | Promise<string> | undefined;
}

/** @param access with the account that the key belongs to */
export function createAuthorizer(access: Access): Authorizer {
  switch (access.kind) {
    case 'key':
      return keyAuthorizer(access);
    case 'sas':
      return { query: access.query, header: () => undefined };
    case 'token':
      return tokenAuthorizer(new TokenSource(() => fetchToken(access.credential, access.scope)));
  }
}

function keyAuthorizer({ account, key }: Extract<Access, { kind: 'key' }>): Authorizer {
  const prefix = `SharedKey ${account}:`;
  return {
    query: '',
    header: (request, headers, size) =>
      prefix + signSharedKey(key, sharedKeyText(request, headers, `/${account}${request.path}`, size)),
  };
}

function tokenAuthorizer(source: TokenSource): Authorizer {
  return { query: '', header: () => bearer(source) };
}

function bearer(source: TokenSource): string | Promise<string> {
  const token = source.current();
  return typeof token === 'string' ? `Bearer ${token}` : token.then((next) => `Bearer ${next}`, refuseToken);
}

/**
 * Makes values of `Authorization` for another service than storage. @param scope of that service, unless the credential
 * names one @param ca certificates of the token service, besides the system's
 */
export function identityTokens(
  credential: AzureIdentity,
  scope: string,
  ca: string | undefined,
): () => string | Promise<string> {
  const access = resolveAccess({ ...credential, scope: credential.scope ?? scope }, '', ca);
  if (access.kind !== 'token') throw new Error(`${credential.kind}: gives no tokens`);
  const source = new TokenSource(() => fetchToken(access.credential, access.scope));
  return () => bearer(source);
}

const REFUSALS: ReadonlySet<string> = new Set([
  'AuthenticationError',
  'AggregateAuthenticationError',
  'AuthenticationRequiredError',
  'CredentialUnavailableError',
]);

function refuseToken(cause: unknown): never {
  const refused = cause instanceof Error && REFUSALS.has(cause.name);
  throw new StoreError(refused ? 'denied' : 'unavailable', { call: 'credential', cause });
}
