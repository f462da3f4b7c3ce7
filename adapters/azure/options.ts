import type { TokenCredential } from '@azure/identity';

const MIB = 1024 * 1024;

/**
 * How the gateway proves who it is. `docs/azure.md` lists the permissions each form needs.
 *
 * Forms with a token ask Microsoft Entra ID (or the local identity endpoint) through
 * `@azure/identity`; everything they read from the environment is documented there.
 */
export type AzureCredential =
  /** `DefaultEndpointsProtocol=...;AccountName=...;AccountKey=...`, also with `SharedAccessSignature` or `UseDevelopmentStorage=true`. */
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

export interface AzureStoreOptions {
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
  /** Connections to the service at a time; more calls wait for one. Default 256. */
  readonly maxConnections?: number;
  /** URL of an outbound HTTP proxy. */
  readonly proxy?: string;
  /** PEM certificates trusted besides the system's, for the service and the token endpoint. */
  readonly ca?: string;
  readonly timeouts?: Partial<AzureTimeouts>;
  readonly retries?: Partial<AzureRetries>;
  readonly limits?: Partial<AzureLimits>;
}

/** Milliseconds. None of them bounds a whole body: long transfers live as long as bytes move. */
export interface AzureTimeouts {
  /** Until a connection stands. Default 5,000. */
  readonly connect: number;
  /** From the last byte of a request to the head of its answer. Default 60,000. */
  readonly response: number;
  /** The same for server-side copies, which answer when the bytes are copied. Default 300,000. */
  readonly copy: number;
  /** Longest silence within a body that the reader is waiting for. Default 60,000. */
  readonly idle: number;
  /** An unused connection is closed after this. Default 55,000. */
  readonly keepAlive: number;
}

export interface AzureRetries {
  /** Times one call is sent at most, the first included. Default 4. */
  readonly attempts: number;
  /** Upper bound of the first pause in milliseconds; doubles each time, with full jitter. Default 100. */
  readonly baseDelay: number;
  /** Upper bound of any pause in milliseconds. Default 5,000. */
  readonly maxDelay: number;
  /** Retries that may be spent in a burst, over all calls of the store. Default 200. */
  readonly budget: number;
}

/** Bytes, unless said otherwise. The service's own limits are the defaults; tests set smaller ones. */
export interface AzureLimits {
  /** Put Blob. 5,000 MiB. */
  readonly maxWrite: number;
  /** Put Block. 4,000 MiB. */
  readonly maxStagedBlock: number;
  /** Copies up to this size are one Copy Blob From URL where that is possible. 256 MiB. */
  readonly maxSyncCopy: number;
  /** Larger copies move in ranges of this size. 256 MiB. */
  readonly copyRange: number;
  /** Ranges of one copy under way at a time. 8. */
  readonly copyParallel: number;
  /** Calls of one `removeMany` under way at a time. 32. */
  readonly removeParallel: number;
}

export const DEFAULT_TIMEOUTS: AzureTimeouts = { connect: 5_000, response: 60_000, copy: 300_000, idle: 60_000, keepAlive: 55_000 };

export const DEFAULT_RETRIES: AzureRetries = { attempts: 4, baseDelay: 100, maxDelay: 5_000, budget: 200 };

export const DEFAULT_LIMITS: AzureLimits = {
  maxWrite: 5_000 * MIB,
  maxStagedBlock: 4_000 * MIB,
  maxSyncCopy: 256 * MIB,
  copyRange: 256 * MIB,
  copyParallel: 8,
  removeParallel: 32,
};

export const DEFAULT_MAX_CONNECTIONS = 256;
export const DEFAULT_ENDPOINT_SUFFIX = 'core.windows.net';
export const DEFAULT_TOKEN_SCOPE = 'https://storage.azure.com/.default';
