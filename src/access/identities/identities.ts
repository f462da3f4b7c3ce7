import type { Account, Permissions, Tags } from './account.ts';
import type { PolicyDocument } from '../policy/document.ts';

/** Rates of one identity or bucket, in this process. What is absent has no limit. */
export interface Rates {
  readonly requestsPerSecond?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly bytesInPerSecond?: number | undefined;
  readonly bytesOutPerSecond?: number | undefined;
}

/** What a caller may become for a while. */
export interface Role {
  readonly name: string;
  readonly arn: string;
  /** `AROA...` */
  readonly id: string;
  readonly account: Account;
  readonly permissions: Permissions;
  readonly tags: Tags;
  /** Who may assume it. */
  readonly trust: PolicyDocument;
  readonly maxSessionMs: number;
  /** Sessions made before are refused; milliseconds since 1970. */
  readonly notBefore?: number | undefined;
  readonly rates?: Rates | undefined;
}

/** An OpenID Connect issuer whose tokens an account takes. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly arn: string;
  readonly audiences: readonly string[];
  readonly jwksUri?: string | undefined;
  /** Its keys (JWKS, JSON), where they are configured. */
  readonly jwks?: string | undefined;
  /** PEM. */
  readonly ca?: string | undefined;
  /** Reads the bearer token that it is asked with; it is renewed behind our back. */
  readonly token?: (() => string) | undefined;
}
