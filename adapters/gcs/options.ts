const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** How the gateway proves who it is. `docs/gcs.md` lists the permissions it needs. */
export type GcsCredential =
  /** No proof: for emulators, and only with an `endpoint`. */
  | { readonly kind: 'anonymous' }
  /** JSON key of a service account. */
  | { readonly kind: 'serviceAccountKey'; readonly key: string }
  /** JSON configuration of workload identity federation (`external_account`), or of any other kind that Google's library reads. */
  | { readonly kind: 'workloadIdentity'; readonly configuration: string }
  /** Application default credentials: environment, gcloud, or the metadata server (GKE workload identity, Cloud Run, Compute Engine). */
  | { readonly kind: 'default' }
  /** Any other source of tokens, for programs that embed the adapter. */
  | { readonly kind: 'token'; readonly getToken: () => Promise<{ readonly token: string; readonly expiresOnTimestamp: number }> };

export interface GcsStoreOptions {
  /** Scheme, host and port. Default `https://storage.googleapis.com`. */
  readonly endpoint?: string;
  readonly credential: GcsCredential;
  /** Project in which buckets are made and listed. Default: the credential's. */
  readonly projectId?: string;
  /**
   * Stands before every container's name to make the bucket's: the names of buckets are shared by everybody. Lower-case letters,
   * digits and hyphens; empty, or ending in a hyphen.
   */
  readonly bucketPrefix?: string;
  /** Location of new buckets. Default: the service's, `US`. */
  readonly location?: string;
  /** Storage class of new buckets. Default: the service's, `STANDARD`. */
  readonly storageClass?: string;
  /** Connections to the service at a time; more calls wait for one. Default 256. */
  readonly maxConnections?: number;
  /** URL of an outbound HTTP proxy. */
  readonly proxy?: string;
  /** PEM certificates trusted besides the system's. */
  readonly ca?: string;
  readonly timeouts?: Partial<GcsTimeouts>;
  readonly retries?: Partial<GcsRetries>;
  readonly limits?: Partial<GcsLimits>;
}

/** Milliseconds. None of them bounds a whole body: long transfers live as long as bytes move. */
export interface GcsTimeouts {
  /** Until a connection stands. Default 5,000. */
  readonly connect: number;
  /** From the last byte of a request to the head of its answer. Default 60,000. */
  readonly response: number;
  /** The same for one call of a server-side copy or compose. Default 300,000. */
  readonly copy: number;
  /** Longest silence within a body that the reader is waiting for. Default 60,000. */
  readonly idle: number;
  /** An unused connection is closed after this. Default 55,000. */
  readonly keepAlive: number;
}

export interface GcsRetries {
  /** Times one call is sent at most, the first included. Default 4. */
  readonly attempts: number;
  /** Upper bound of the first pause in milliseconds; doubles each time, with full jitter. Default 100. */
  readonly baseDelay: number;
  /** Upper bound of any pause in milliseconds. Default 5,000. */
  readonly maxDelay: number;
  /** Retries that may be spent in a burst, over all calls of the store. Default 200. */
  readonly budget: number;
  /** Milliseconds that one request waits altogether for turns on names that the service throttles. Default 8,000. */
  readonly nameWait: number;
  /** Milliseconds between two changes of such a name. Default 1,000, the service's rule. */
  readonly nameSpacing: number;
}

/** Bytes, unless said otherwise. The service's own limits are the defaults; tests set smaller ones. */
export interface GcsLimits {
  /** One object. 5 TiB. */
  readonly maxWrite: number;
  /** Composes of one assembly under way at a time. 16. */
  readonly composeParallel: number;
  /** Calls of one `removeMany`, or of one clean-up, under way at a time. 32. */
  readonly removeParallel: number;
}

export const DEFAULT_ENDPOINT = 'https://storage.googleapis.com';
export const DEFAULT_MAX_CONNECTIONS = 256;

export const DEFAULT_TIMEOUTS: GcsTimeouts = { connect: 5_000, response: 60_000, copy: 300_000, idle: 60_000, keepAlive: 55_000 };

export const DEFAULT_RETRIES: GcsRetries = { attempts: 4, baseDelay: 100, maxDelay: 5_000, budget: 200, nameWait: 8_000, nameSpacing: 1_000 };

export const DEFAULT_LIMITS: GcsLimits = { maxWrite: 5 * 1024 * GIB, composeParallel: 16, removeParallel: 32 };
