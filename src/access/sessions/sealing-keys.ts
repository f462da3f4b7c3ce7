import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { base32 } from '../identities/derived-ids.ts';

const VERSION = 1;
const KEY_ID_BYTES = 8;
const SALT_BYTES = 16;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + KEY_ID_BYTES + SALT_BYTES;
const MIN_SECRET_LENGTH = 32;
/** Each token has a key of its own, which is used once: the nonce need not differ. */
const NONCE = Buffer.alloc(12);
const CIPHER = 'aes-256-gcm';
const TOKEN = /^[\w-]+$/;
/** Heads of requests have 16 KiB; tokens must leave room for the rest. */
const MAX_TOKEN_LENGTH = 8192;

/** Temporary credentials, as they are handed out. */
export interface Sealed {
  /** `ASIA` and 16 characters. */
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

/** What a token turned out to be: authentic, and by which key. */
export interface Opened extends Omit<Sealed, 'sessionToken'> {
  readonly payload: Buffer;
}

interface RootKey {
  readonly id: Buffer;
  readonly key: Buffer;
}

/**
 * Seals what temporary credentials stand for into their token (AES-256-GCM), so that nothing needs to be stored:
 * whoever has the keys opens it. Access key id and secret are derived from the token's salt. The first secret seals,
 * all of them open, so that they can be changed one after the other. Layout, base64url: version, id of the key (8
 * bytes), salt (16), sealed bytes, tag (16).
 */
export class SealingKeys {
  readonly #keys: readonly RootKey[];
  readonly #first: RootKey;

  /** @param secrets of 32 characters or more; the first one seals @throws Error */
  constructor(secrets: readonly string[]) {
    if (secrets.some((secret) => secret.length < MIN_SECRET_LENGTH)) {
      throw new Error(`each secret needs ${MIN_SECRET_LENGTH} characters or more`);
    }
    this.#keys = secrets.map(rootKey);
    const [first] = this.#keys;
    if (first === undefined) throw new Error('expected at least one secret');
    this.#first = first;
  }

  seal(payload: Uint8Array): Sealed {
    const salt = randomBytes(SALT_BYTES);
    const head = Buffer.concat([Buffer.of(VERSION), this.#first.id, salt]);
    const cipher = createCipheriv(CIPHER, derive(this.#first, 'seal', salt), NONCE, { authTagLength: TAG_BYTES });
    cipher.setAAD(head);
    const sealed = Buffer.concat([head, cipher.update(payload), cipher.final(), cipher.getAuthTag()]);
    return { ...credentialsOf(this.#first, salt), sessionToken: sealed.toString('base64url') };
  }

  /** @returns undefined: it was not sealed with any of these keys, or was changed since */
  open(token: string): Opened | undefined {
    if (token.length > MAX_TOKEN_LENGTH || !TOKEN.test(token)) return undefined;
    const bytes = Buffer.from(token, 'base64url');
    // Of a few bits at the end decoding takes no notice: one token has one form.
    if (bytes.length < HEAD_BYTES + TAG_BYTES || bytes[0] !== VERSION || bytes.toString('base64url') !== token) {
      return undefined;
    }
    const key = this.#keys.find(({ id }) => id.equals(bytes.subarray(1, 1 + KEY_ID_BYTES)));
    if (key === undefined) return undefined;
    const salt = bytes.subarray(1 + KEY_ID_BYTES, HEAD_BYTES);
    const cipher = createDecipheriv(CIPHER, derive(key, 'seal', salt), NONCE, { authTagLength: TAG_BYTES });
    cipher.setAAD(bytes.subarray(0, HEAD_BYTES));
    cipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const payload = Buffer.concat([cipher.update(bytes.subarray(HEAD_BYTES, -TAG_BYTES)), cipher.final()]);
      return { payload, ...credentialsOf(key, salt) };
    } catch {
      return undefined;
    }
  }
}

function rootKey(secret: string): RootKey {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 's3gw session tokens', 32));
  return { key, id: derive({ key }, 'id', Buffer.alloc(0)).subarray(0, KEY_ID_BYTES) };
}

function derive(
  { key }: Pick<RootKey, 'key'>,
  purpose: 'id' | 'seal' | 'access key' | 'secret',
  salt: Uint8Array,
): Buffer {
  return createHmac('sha256', key).update(`${purpose}\n`).update(salt).digest();
}

function credentialsOf(key: RootKey, salt: Uint8Array): Omit<Sealed, 'sessionToken'> {
  return {
    accessKeyId: `ASIA${base32(derive(key, 'access key', salt)).slice(0, 16)}`,
    secretAccessKey: derive(key, 'secret', salt).toString('base64').slice(0, 40),
  };
}
