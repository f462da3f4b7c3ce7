import type { SigningCredential } from '../../auth/verdict.ts';
import type { ShownHint, SignatureReport } from '../inspector/request-fields.ts';

/** Why a request was not let in, as short names. The first eight are what people ask for most. */
export type Cause =
  | 'altered-header'
  | 're-encoded-path'
  | 'changed-host'
  | 'trimmed-space'
  | 'lost-query'
  | 'wrong-region'
  | 'wrong-secret'
  | 'shifted-clock'
  | 'altered-query'
  | 'changed-method'
  | 'changed-body'
  | 'payload-hash'
  | 'unsigned-header'
  | 'unknown-access-key'
  | 'wrong-service'
  | 'expired-url'
  | 'session-token'
  | 'signature-version'
  | 'malformed';

/** `proved`: the signature was computed again with the change undone, and fits. */
export type Certainty = ShownHint['certainty'];

/** A hint as the inspector shows it, its cause one of ours. */
export interface SignatureHint extends ShownHint {
  readonly cause: Cause;
}

/**
 * What a server can know about a signature that it refused. For the eyes of operators: never part of an S3 answer.
 * There are no hints when too many were asked for within a second.
 */
export interface SignatureDiagnosis extends SignatureReport {
  readonly hints: readonly SignatureHint[];
}

/** What a diagnosis may look things up in. */
export interface DiagnosisSources {
  readonly region: string;
  /** Allowed distance between the clocks, milliseconds. */
  readonly maxSkewMs: number;
  /** Names under which clients are meant to reach the service. */
  readonly baseHosts: readonly string[];
  /** Ports on which it listens. */
  readonly ports: readonly number[];
  readonly credentialFor: (accessKeyId: string) => SigningCredential | undefined;
  /** Of temporary credentials; absent: there are none. @throws S3Error when the token is not taken */
  readonly sessionFor?: (accessKeyId: string, token: string) => SigningCredential | undefined;
  /** All of them, in any order; only the first few are tried. */
  readonly credentials: () => Iterable<SigningCredential & { readonly accessKeyId: string }>;
}

/** The refusal that is to be explained: an S3Error is one. */
export interface RefusedSignature {
  readonly code?: string | number;
  readonly message: string;
  readonly extra?: Readonly<Record<string, string | number>>;
}
