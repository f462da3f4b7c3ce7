import { type ConnectionOptions, DEFAULT_RETRIES } from '../shared/connection-options.ts';
import type { RetryPolicy } from '../shared/retry-budget.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** How the gateway proves who it is. `docs/gcs.md` lists the permissions it needs. */
export type GcsCredential =
  /** No proof: for emulators, and only with an `endpoint`. */
  | { readonly kind: 'anonymous' }
  /** JSON key of a service account. */
  | { readonly kind: 'serviceAccountKey'; readonly key: string }
  /**
   * JSON configuration of workload identity federation (`external_account`), or of any other kind that Google's library
   * reads.
   */
  | { readonly kind: 'workloadIdentity'; readonly configuration: string }
  /**
   * Application default credentials: environment, gcloud, or the metadata server (GKE workload identity, Cloud Run,
   * Compute Engine).
   */
  | { readonly kind: 'default' }
  /** Any other source of tokens, for programs that embed the adapter. */
  | {
      readonly kind: 'token';
      readonly getToken: () => Promise<{ readonly token: string; readonly expiresOnTimestamp: number }>;
    };

export interface GcsStoreOptions extends ConnectionOptions {
  /** Scheme, host and port. Default `https://storage.googleapis.com`. */
  readonly endpoint?: string;
  readonly credential: GcsCredential;
  /** Project in which buckets are made and listed. Default: the credential's. */
  readonly projectId?: string;
  /**
   * Stands before every container's name to make the bucket's: the names of buckets are shared by everybody. Lower-case
   * letters, digits and hyphens; empty, or ending in a hyphen.
   */
  readonly bucketPrefix?: string;
  /** Location of new buckets. Default: the service's, `US`. */
  readonly location?: string;
  /** Storage class of new buckets. Default: the service's, `STANDARD`. */
  readonly storageClass?: string;
  /**
   * The endpoint heeds conditions on the source of a copy. Default: with a credential, as the service does; without one
   * there is an emulator, and most copy what is there.
   */
  readonly pinsSources?: boolean;
  readonly retries?: Partial<GcsRetries>;
  readonly limits?: Partial<GcsLimits>;
}

interface GcsRetries extends RetryPolicy {
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

export const GCS_RETRIES: GcsRetries = { ...DEFAULT_RETRIES, nameWait: 8_000, nameSpacing: 1_000 };

export const DEFAULT_LIMITS: GcsLimits = { maxWrite: 5 * 1024 * GIB, composeParallel: 16, removeParallel: 32 };
