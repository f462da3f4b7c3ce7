import { randomBytes } from 'node:crypto';
import type { BlobRef } from '../../store/blob-store.ts';
import type { Bucket } from './bucket.ts';
import type { KeyRef } from './key-ref.ts';
import { type KeyedNames, namesOfBucket, namesOfKey, parseKeyedName } from './keyed-names.ts';
import { TOKEN_LENGTH } from './version-token.ts';

const ID_LENGTH = 12;
const NAME = /^([0-9a-f]{32})\.([0-9a-f]{12})$/;
/** Sorts first of a token's names. */
const NOTE_ID = '0'.repeat(ID_LENGTH);
const RESTORED = '2';
const PIECES: KeyedNames = { root: 'e', idLength: TOKEN_LENGTH + 1 + ID_LENGTH };

/** All encrypted bytes of a bucket. */
export function piecesPrefix(bucket: Bucket): string {
  return namesOfBucket(PIECES, bucket);
}

/** A name that no other attempt at the same bytes has. */
export function newPieceId(): string {
  return `1${randomBytes(ID_LENGTH / 2)
    .toString('hex')
    .slice(1)}`;
}

/** The name of the copy of a piece by which it is restored. */
export function restoredId(id: string): string {
  return RESTORED + id.slice(1);
}

export function isRestoredId(id: string): boolean {
  return id.startsWith(RESTORED);
}

export function pieceRef(ref: KeyRef, token: string, id: string): BlobRef {
  return { container: ref.bucket.home.system, name: piecesOfToken(ref, token) + id };
}

/** Names of what was written under one token start with this. */
export function piecesOfToken(ref: KeyRef, token: string): string {
  return `${namesOfKey(PIECES, ref).prefix}${token}.`;
}

/**
 * A note of the true key, where names of pieces had to be cut: pieces themselves carry no metadata that could be read
 * without the key. Undefined where the name says it.
 */
export function pieceNote(ref: KeyRef, token: string): { ref: BlobRef; trueKey: string } | undefined {
  const { trueKey } = namesOfKey(PIECES, ref);
  return trueKey === undefined ? undefined : { ref: pieceRef(ref, token, NOTE_ID), trueKey };
}

/** @returns undefined for a name that is no piece; no `key` when the name is cut (its note has it) */
export function parsePieceName(
  bucket: Bucket,
  name: string,
): { token: string; id: string; isNote: boolean; key: string | undefined } | undefined {
  const parsed = parseKeyedName(PIECES, bucket, name);
  const [, token, id] = NAME.exec(parsed?.id ?? '') ?? [];
  if (parsed === undefined || token === undefined || id === undefined) return undefined;
  return { token, id, isNote: id === NOTE_ID, key: parsed.key };
}
