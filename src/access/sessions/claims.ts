import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Tags } from '../accounts.ts';

/** What a session token says: who acts, within which bounds, and how long. Times are seconds since 1970. */
export interface SessionClaims {
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly identity: RoleSession | KeySession;
  /** Session policies, JSON. */
  readonly policies?: readonly string[];
  /** ARNs of named policies that narrow the session as well. */
  readonly policyArns?: readonly string[];
  readonly tags?: Tags;
  /** Tags that sessions made from this one keep, and cannot change. */
  readonly transitive?: readonly string[];
  readonly sourceIdentity?: string;
}

/** AssumeRole and AssumeRoleWithWebIdentity. */
export interface RoleSession {
  readonly kind: 'role';
  /** ARN. */
  readonly role: string;
  /** RoleSessionName. */
  readonly name: string;
  /** ARN of the identity provider whose token it was. */
  readonly provider?: string;
}

/** GetSessionToken: its user or account, as long as the access key is theirs that asked, with the same secret. */
export interface KeySession {
  readonly kind: 'key';
  readonly accessKeyId: string;
  /** ARN of a user, or canonical id of an account. */
  readonly holder: string;
  /** Of the key's secret when the session was made. */
  readonly secretHash: string;
}

/** Claims as a session is asked for: the hash of a key's secret is added. */
export type AskedClaims = Omit<SessionClaims, 'identity'> & {
  readonly identity: RoleSession | Omit<KeySession, 'secretHash'>;
};

/** Far more than what AssumeRole takes. */
const MAX_CLAIMS_BYTES = 64 * 1024;

export function encodeClaims(claims: SessionClaims): Buffer {
  return deflateRawSync(JSON.stringify(claims));
}

/** Of bytes that were sealed by us. @throws Error */
export function decodeClaims(payload: Uint8Array): SessionClaims {
  return JSON.parse(inflateRawSync(payload, { maxOutputLength: MAX_CLAIMS_BYTES }).toString()) as SessionClaims;
}
