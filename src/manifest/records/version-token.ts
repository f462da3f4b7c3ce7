import { createHash } from 'node:crypto';
import { randomHex } from '../../observe/random-id.ts';

/**
 * Names one version of a key, for ever: 14 hex digits of the inverse of its seq and 18 of its own. It is the
 * version id that clients see and the end of the name of the version's blob, so neither is ever searched for.
 * Tokens sort newest first.
 */
export type VersionToken = string;

const SEQ_DIGITS = 14;
const OWN_DIGITS = 18;
const MAX_SEQ = Number.MAX_SAFE_INTEGER;
const TOKEN = /^[01][0-9a-f]{31}$/;

export const TOKEN_LENGTH = SEQ_DIGITS + OWN_DIGITS;

/** A name that was never used, by 72 random bits. */
export function newToken(seq: number): VersionToken {
  return inverse(seq) + randomHex(OWN_DIGITS / 2);
}

/** The same name for the same proof: for versions that several requests may bring into being. */
export function tokenFrom(seq: number, proof: string): VersionToken {
  return inverse(seq) + createHash('sha256').update(proof).digest('hex').slice(0, OWN_DIGITS);
}

/** Has the form of a token; says nothing about its existence. */
export function isVersionToken(text: string): boolean {
  return TOKEN.test(text);
}

export function seqOfToken(token: VersionToken): number {
  return MAX_SEQ - Number.parseInt(token.slice(0, SEQ_DIGITS), 16);
}

/** The order of a key's history; the only one. */
export function isNewer(token: VersionToken, other: VersionToken): boolean {
  return token < other;
}

function inverse(seq: number): string {
  return (MAX_SEQ - seq).toString(16).padStart(SEQ_DIGITS, '0');
}
