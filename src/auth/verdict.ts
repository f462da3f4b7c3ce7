import type { ChunkSigningContext } from './chunk-signature.ts';
import type { PayloadMode } from './payload-mode.ts';
import type { OtherRegions } from './other-regions.ts';
import type { SigningKeys } from './signing-key.ts';

/** The part of a credential that signatures need; the caller's own credential type extends it. */
export interface SigningCredential {
  readonly secretAccessKey: string;
}

export interface AuthOptions<C extends SigningCredential> {
  readonly credentialFor: (accessKeyId: string) => C | undefined;
  /**
   * For temporary credentials: finds the secret that a session token stands for, or undefined when no caller has such a
   * key. Absent where there are no sessions.
   * @throws S3Error InvalidToken, ExpiredToken
   */
  readonly sessionFor?: (accessKeyId: string, token: string) => C | undefined;
  readonly region: string;
  /** Present where signatures for any other region count as well. */
  readonly otherRegions?: OtherRegions;
  /**
   * For a service other than S3, whose requests do not carry the hash of their payload in a header: the name in its
   * scopes, and the hash of the body.
   */
  readonly service?: OtherService;
  /** One per process (or listener). */
  readonly signingKeys: SigningKeys;
  /** Allowed distance between the clocks, milliseconds; AWS allows 15 minutes. */
  readonly maxSkewMs?: number;
  /** Accept presigned URLs of version 2; default false. Version 2 in headers is always refused. */
  readonly presignedV2?: boolean;
}

export const DEFAULT_MAX_SKEW_MS = 900_000;

export interface OtherService {
  /** E.g. `sts`. */
  readonly name: string;
  /** SHA-256 of the body, hex: part of what was signed. */
  readonly bodyHash: string;
  /** Regions besides `region` that scopes may name. */
  readonly regions: readonly string[];
}

/** Who sent a request, and how its body is to be checked. */
export type AuthVerdict<C extends SigningCredential> =
  | { readonly kind: 'anonymous'; readonly payload: PayloadMode }
  | {
      readonly kind: 'signed';
      readonly method: 'header' | 'query';
      readonly accessKeyId: string;
      readonly credential: C;
      readonly payload: PayloadMode;
      /** Present when the body's chunks or trailer are signed. */
      readonly signing?: ChunkSigningContext;
    };
