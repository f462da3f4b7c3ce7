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
  readonly region: string;
  /** Present: signatures for any other region count as well. */
  readonly otherRegions?: OtherRegions;
  /** One per process (or listener). */
  readonly signingKeys: SigningKeys;
  /** Allowed distance between the clocks, milliseconds; AWS allows 15 minutes. */
  readonly maxSkewMs?: number;
  /** Accept presigned URLs of version 2; default false. Version 2 in headers is always refused. */
  readonly presignedV2?: boolean;
}

export const DEFAULT_MAX_SKEW_MS = 900_000;

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
