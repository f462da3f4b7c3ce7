import type { AccessToken, TokenCredential } from '@azure/identity';
import type { AzureCredential } from './options.ts';

type IdentityCredential = Extract<
  AzureCredential,
  { kind: 'default' | 'workloadIdentity' | 'managedIdentity' | 'clientSecret' }
>;

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
        ...(options.clientId === undefined
          ? {}
          : { managedIdentityClientId: options.clientId, workloadIdentityClientId: options.clientId }),
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

/** Asks a credential for a token. @throws Error when it has none to give */
export async function fetchToken(credential: TokenCredential, scope: string): Promise<AccessToken> {
  const token = await credential.getToken(scope);
  if (token === null) throw new Error('the credential gave no token');
  return token;
}
