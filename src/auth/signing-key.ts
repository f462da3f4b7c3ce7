import { createHmac } from 'node:crypto';
import { HmacKey } from '../streams/hmac-key.ts';
import type { CredentialScope } from './scope.ts';
import { keepNewest } from '../observe/bounded-map.ts';

interface CachedKey {
  /** Kept so that a changed secret is noticed at the next use. */
  readonly secret: string;
  readonly key: HmacKey;
}

const DEFAULT_MAX_KEYS = 4096;

/**
 * Derived signing keys by access key and scope: the derivation (four HMACs) costs more than the rest
 * of a verification. Bounded; the oldest entry goes first. An entry derived from another secret
 * counts as absent, so a reload of the accounts takes effect at once.
 */
export class SigningKeys {
  readonly #cache = new Map<string, CachedKey>();
  readonly #max: number;

  constructor(maxKeys = DEFAULT_MAX_KEYS) {
    this.#max = maxKeys;
  }

  get size(): number {
    return this.#cache.size;
  }

  keyFor(accessKeyId: string, secret: string, scope: CredentialScope): HmacKey {
    const name = `${accessKeyId}/${scope.text}`;
    const cached = this.#cache.get(name);
    if (cached?.secret === secret) {
      return cached.key;
    }
    const key = deriveSigningKey(secret, scope);
    keepNewest(this.#cache, name, { secret, key }, this.#max);
    return key;
  }
}

/**
 * HMAC over date, region, service and terminator in turn, as SigV4 defines it.
 */
export function deriveSigningKey(secret: string, scope: Omit<CredentialScope, 'accessKeyId' | 'text'>): HmacKey {
  const dated = hmac(`AWS4${secret}`, scope.date);
  return new HmacKey(hmac(hmac(hmac(dated, scope.region), scope.service), scope.terminator));
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
