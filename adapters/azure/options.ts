import type { TokenCredential } from '@azure/identity';
import type { ConnectionOptions } from '../shared/connection-options.ts';

const MIB = 1024 * 1024;

/**
 * How the gateway proves who it is. `docs/azure.md` lists the permissions each form needs.
 *
 * Forms with a token ask Microsoft Entra ID (or the local identity endpoint) through
 * `@azure/identity`; everything they read from the environment is documented there.
 */
export type AzureCredential =
  /**
   * `DefaultEndpointsProtocol=...;AccountName=...;AccountKey=...`, also with `SharedAccessSignature` or
   * `UseDevelopmentStorage=true`.
   */
  | { readonly kind: 'connectionString'; readonly connectionString: string }
  /** Base64 account key. */
  | { readonly kind: 'accountKey'; readonly key: string }
  /** An account SAS (services `b`, resource types `sco`), with or without its leading `?`. */
  | { readonly kind: 'sas'; readonly token: string }
  /** Tries environment, workload identity, managed identity and developer tools in turn. */
  | ({ readonly kind: 'default'; readonly clientId?: string } & TokenOptions)
  /** Federated token of a Kubernetes service account. What is absent comes from `AZURE_*` variables. */
  | ({ readonly kind: 'workloadIdentity'; readonly clientId?: string; readonly tokenFile?: string } & TokenOptions)
  /** System-assigned identity of the machine, or the user-assigned one named by `clientId`. */
  | ({ readonly kind: 'managedIdentity'; readonly clientId?: string } & TokenOptions)
  | ({ readonly kind: 'clientSecret'; readonly clientId: string; readonly clientSecret: string } & TokenOptions)
  /** Any other source of tokens, for programs that embed the adapter. */
  | { readonly kind: 'token'; readonly credential: TokenCredential; readonly scope?: string };

export interface TokenOptions {
  readonly tenantId?: string;
  /** Default: the public cloud's `https://login.microsoftonline.com`. */
  readonly authorityHost?: string;
  /** Turn off when `authorityHost` is not one that Microsoft operates. Default true. */
  readonly validateAuthority?: boolean;
  /** Audience of the token. Default `https://storage.azure.com/.default`. */
  readonly scope?: string;
}

export interface AzureStoreOptions extends ConnectionOptions {
  /**
   * Blob endpoint, e.g. `https://account.blob.core.windows.net` or
   * `http://127.0.0.1:10000/devstoreaccount1`. Default: built from `account` and `endpointSuffix`,
   * or taken from the connection string.
   */
  readonly endpoint?: string;
  /** Storage account. Default: read off the endpoint or the connection string. */
  readonly account?: string;
  /** Default `core.windows.net`; sovereign clouds have others. */
  readonly endpointSuffix?: string;
  readonly credential: AzureCredential;
  readonly limits?: Partial<AzureLimits>;
}

/** Bytes, unless said otherwise. The service's own limits are the defaults; tests set smaller ones. */
export interface AzureLimits {
  /** Put Blob. 5,000 MiB. */
  readonly maxWrite: number;
  /** Put Block. 4,000 MiB. */
  readonly maxStagedBlock: number;
  /** Copy Blob From URL. 256 MiB. */
  readonly maxSyncCopy: number;
  /** Put Blob From URL. 5,000 MiB. */
  readonly maxPutFromUrl: number;
  /** What is staged from another blob moves in ranges of this size. 256 MiB. */
  readonly copyRange: number;
  /** Ranges of one source under way at a time. 8. */
  readonly copyParallel: number;
  /** Calls of one `removeMany` under way at a time. 32. */
  readonly removeParallel: number;
}

export const DEFAULT_LIMITS: AzureLimits = {
  maxWrite: 5_000 * MIB,
  maxStagedBlock: 4_000 * MIB,
  maxSyncCopy: 256 * MIB,
  maxPutFromUrl: 5_000 * MIB,
  copyRange: 256 * MIB,
  copyParallel: 8,
  removeParallel: 32,
};

export const DEFAULT_ENDPOINT_SUFFIX = 'core.windows.net';
export const DEFAULT_TOKEN_SCOPE = 'https://storage.azure.com/.default';
