import type { CredentialScope } from '../../auth/scope.ts';
import { sign, signatureMatches, stringToSign } from '../../auth/signature.ts';
import { deriveSigningKey } from '../../auth/signing-key.ts';
import type { SignatureClaim } from '../../auth/verify-signature.ts';
import type { HmacKey } from '../../streams/hmac-key.ts';
import { canonicalText, type CanonicalParts } from './canonical-parts.ts';

/** Something that may have been signed instead of what came. */
interface Attempt {
  readonly parts: CanonicalParts;
  readonly secret: string;
}

/** Signatures computed for one failure, and canonical text hashed for them: a millisecond or two. */
const MAX_SIGNATURES = 320;
const MAX_CHARACTERS = 512 * 1024;

/** Computes a signature again and again, within a bound. */
export class Probe {
  readonly #claim: SignatureClaim;
  readonly #keys = new Map<string, HmacKey>();
  #signatures = 0;
  #characters = 0;

  constructor(claim: SignatureClaim) {
    this.#claim = claim;
  }

  /** The bound is reached: not everything was tried. */
  get exhausted(): boolean {
    return this.#signatures >= MAX_SIGNATURES || this.#characters >= MAX_CHARACTERS;
  }

  /** Whether the client's signature is that of the attempt; false, too, once the bound is reached. */
  fits({ parts, secret }: Attempt): boolean {
    if (this.exhausted) return false;
    const { amzDate, scope, signature } = this.#claim;
    const canonical = canonicalText(parts);
    this.#signatures += 1;
    this.#characters += canonical.length;
    return signatureMatches(sign(this.#key(secret, scope), stringToSign(amzDate, scope.text, canonical)), signature);
  }

  #key(secret: string, scope: CredentialScope): HmacKey {
    const known = this.#keys.get(secret);
    if (known !== undefined) return known;
    const key = deriveSigningKey(secret, scope);
    this.#keys.set(secret, key);
    return key;
  }
}
