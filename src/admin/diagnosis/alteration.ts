import type { RawRequest, SignableRequest } from '../../auth/raw-request.ts';
import type { SignatureClaim } from '../../auth/verify-signature.ts';
import type { CanonicalParts } from './canonical-parts.ts';
import type { Cause, DiagnosisSources } from './diagnosis.ts';

/** The failed request, and what can be tried on it. */
export interface Subject {
  readonly raw: RawRequest;
  readonly request: SignableRequest;
  readonly claim: SignatureClaim;
  /** As this server computed them. */
  readonly parts: CanonicalParts;
  readonly sources: DiagnosisSources;
  /** Hosts under which requests were signed rightly of late. */
  readonly seenHosts: readonly string[];
}

/** One thing that may have happened between signer and server, undone. */
export interface Alteration {
  readonly cause: Cause;
  /** What it means when the signature fits. */
  readonly text: string;
  /** What the client would have signed. */
  readonly parts: CanonicalParts;
}

/** Cuts a value for a text that people read. */
export function quotedValue(value: string): string {
  const text = value.length > 120 ? `${value.slice(0, 120)}...` : value;
  return `\`${text}\``;
}
