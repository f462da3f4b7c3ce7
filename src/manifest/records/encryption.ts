import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { CustomerKey } from '../../store/customer-key.ts';

/** Why the bytes of an object, or of all parts of an upload, lie apart from its record: mostly, by what key. */
export type EncryptedBy =
  /** A key that clients show. It is kept nowhere: `check` tells whether one that is shown is the same. */
  | { readonly kind: 'customer'; readonly salt: string; readonly check: string }
  /** A key that the service knows, by the name that clients say. */
  | { readonly kind: 'kms'; readonly key: string }
  /** Only as the service encrypts all: they are archived, and an archived blob cannot carry a record that changes. */
  | { readonly kind: 'archive' };

/** Where the encrypted or archived bytes of an object lie: in pieces of their own, whose names begin with its token. */
export interface Encryption {
  readonly by: EncryptedBy;
  /** Bytes of all pieces. */
  readonly size: number;
  readonly token: string;
}

/** One blob of such bytes. */
export interface Piece {
  readonly id: string;
  readonly size: number;
}

export type EncryptedByCode = readonly ['c', string, string] | readonly ['k', string] | readonly ['a'];
export type EncryptionCode = readonly [number, string, ...EncryptedByCode];
export type PieceCode = readonly [string, number];

const SALT_BYTES = 12;
const CHECK_BYTES = 16;
const PURPOSE = 's3gw customer key ';

/** What is kept of a key. It does not tell that two objects have the same key. */
export function checkOfKey(key: CustomerKey): EncryptedBy {
  const salt = randomBytes(SALT_BYTES).toString('base64url');
  return { kind: 'customer', salt, check: digestOf(key, salt).toString('base64url') };
}

export function isSameKey({ salt, check }: Extract<EncryptedBy, { kind: 'customer' }>, key: CustomerKey): boolean {
  const known = Buffer.from(check, 'base64url');
  return known.length === CHECK_BYTES && timingSafeEqual(known, digestOf(key, salt));
}

function digestOf(key: CustomerKey, salt: string): Buffer {
  return key.use((bytes) =>
    createHmac('sha256', bytes)
      .update(PURPOSE + salt)
      .digest()
      .subarray(0, CHECK_BYTES),
  );
}

export function encodeEncryptedBy(by: EncryptedBy): EncryptedByCode {
  if (by.kind === 'archive') return ['a'];
  return by.kind === 'customer' ? ['c', by.salt, by.check] : ['k', by.key];
}

/** @throws Error for a kind that this release does not know: its bytes must not be taken for plain ones */
export function decodeEncryptedBy([kind, first, second]: readonly string[]): EncryptedBy {
  if (kind === 'c' && first !== undefined && second !== undefined) {
    return { kind: 'customer', salt: first, check: second };
  }
  if (kind === 'k' && first !== undefined) return { kind: 'kms', key: first };
  if (kind === 'a') return { kind: 'archive' };
  throw new Error('bytes are encrypted in a way that this release does not know');
}

export function encodeEncryption({ by, size, token }: Encryption): EncryptionCode {
  return [size, token, ...encodeEncryptedBy(by)];
}

export function decodeEncryption([size, token, ...by]: EncryptionCode): Encryption {
  return { by: decodeEncryptedBy(by), size, token };
}
