import type { AccessToken, TokenCredential } from '@azure/identity';
import { HmacKey } from '../../src/streams/hmac-key.ts';
import { type AzureCredential, type AzureStoreOptions, DEFAULT_TOKEN_SCOPE } from './options.ts';

/** The three ways in which a request can be authorised. */
export type Access =
  /** The key twice: to sign requests with, and in base64 for the SDK, which makes signatures of sources of copies. */
  | { readonly kind: 'key'; readonly account: string; readonly key: HmacKey; readonly base64: string }
  /** Query string without `?`. */
  | { readonly kind: 'sas'; readonly query: string }
  | { readonly kind: 'token'; readonly credential: TokenCredential; readonly scope: string };

/** The well-known account of the emulator: public constants, documented by Microsoft. */
export const DEVELOPMENT_ACCOUNT = 'devstoreaccount1';
export const DEVELOPMENT_KEY =
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

/** Options with a connection string taken apart into endpoint, account and a plain credential. */
export function expandConnectionString(options: AzureStoreOptions): AzureStoreOptions {
  if (options.credential.kind !== 'connectionString') return options;
  const fields = connectionFields(options.credential.connectionString);
  const account = options.account ?? fields['AccountName'];
  const endpointSuffix = options.endpointSuffix ?? fields['EndpointSuffix'];
  const endpoint = options.endpoint ?? fields['BlobEndpoint'] ?? plainEndpoint(fields, account, endpointSuffix);
  return {
    ...options,
    credential: fieldsCredential(fields),
    ...(account === undefined ? {} : { account }),
    ...(endpointSuffix === undefined ? {} : { endpointSuffix }),
    ...(endpoint === undefined ? {} : { endpoint }),
  };
}

const DEVELOPMENT_FIELDS: Readonly<Record<string, string>> = {
  AccountName: DEVELOPMENT_ACCOUNT,
  AccountKey: DEVELOPMENT_KEY,
  BlobEndpoint: `http://127.0.0.1:10000/${DEVELOPMENT_ACCOUNT}`,
};

function connectionFields(connectionString: string): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (const field of connectionString.split(';')) {
    const end = field.indexOf('=');
    if (end > 0) fields[field.slice(0, end).trim()] = field.slice(end + 1).trim();
  }
  return fields['UseDevelopmentStorage'] === 'true' ? DEVELOPMENT_FIELDS : fields;
}

/** Only a connection string can ask for plain http on the default host. */
function plainEndpoint(
  fields: Readonly<Record<string, string>>,
  account: string | undefined,
  suffix: string | undefined,
): string | undefined {
  if (fields['DefaultEndpointsProtocol'] !== 'http' || account === undefined) return undefined;
  return `http://${account}.blob.${suffix ?? 'core.windows.net'}`;
}

function fieldsCredential(fields: Readonly<Record<string, string>>): AzureCredential {
  const { AccountKey: key, SharedAccessSignature: token } = fields;
  if (key !== undefined) return { kind: 'accountKey', key };
  if (token !== undefined) return { kind: 'sas', token };
  throw new Error('connection string: neither AccountKey nor SharedAccessSignature');
}

/** @throws Error when the credential cannot be used at all */
export function resolveAccess(credential: AzureCredential, account: string, ca: string | undefined): Access {
  switch (credential.kind) {
    case 'connectionString':
      throw new Error('connection string must be expanded first');
    case 'accountKey':
      return { kind: 'key', account, key: accountKey(credential.key), base64: credential.key };
    case 'sas':
      return { kind: 'sas', query: credential.token.replace(/^\?/, '') };
    default:
      return {
        kind: 'token',
        credential: credential.kind === 'token' ? credential.credential : tokenCredential(credential, ca),
        scope: credential.scope ?? DEFAULT_TOKEN_SCOPE,
      };
  }
}

function accountKey(key: string): HmacKey {
  const bytes = Buffer.from(key, 'base64');
  if (bytes.length === 0) throw new Error('account key: not base64');
  return new HmacKey(bytes);
}

/** What gets its tokens by `@azure/identity`. */
export type AzureIdentity = Extract<
  AzureCredential,
  { kind: 'default' | 'workloadIdentity' | 'managedIdentity' | 'clientSecret' }
>;

/**
 * A credential of `@azure/identity`. The library is loaded with the first token, so that stores
 * with an account key start without it.
 */
function tokenCredential(options: AzureIdentity, ca: string | undefined): TokenCredential {
  let created: Promise<TokenCredential> | undefined;
  return {
    async getToken(scopes, getOptions) {
      created ??= createCredential(options, ca);
      return (await created).getToken(scopes, getOptions);
    },
  };
}

async function createCredential(options: AzureIdentity, ca: string | undefined): Promise<TokenCredential> {
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
